// Does a table of kernels work on this machine? A few milliseconds of comparing it with the scalar one.
#pragma once
#include <string>

#include "kernels/kernels.h"

namespace kazeia {

// Empty if every kernel agrees with the scalar table's on a small input; otherwise the first that does not, and how far
// it is off.
std::string find_kernel_fault(const Kernels& table);

}  // namespace kazeia
