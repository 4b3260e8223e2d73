// The profiles, one function for each file profile_*.cpp.
#pragma once
#include "compute/sim/profile.h"

namespace kazeia::sim {

Profile hexagon_2026_05();
// The same, but its memory is hidden from the CPU, as newer drivers have it.
Profile hexagon_2026_05_hidden();
Profile hexagon_2026_11();

}  // namespace kazeia::sim
