// What doctor tells of a placement: where the parts of a model ran, what was refused, what it cost.
#pragma once
#include <string>

#include "kazeia/engine.h"

namespace kazeia {

// Tables of a short run's report; empty if every part ran on the CPU because it was asked to.
std::string placement_text(const Report& report);

}  // namespace kazeia
