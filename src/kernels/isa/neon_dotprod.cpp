// The kernels for 64-bit ARM CPUs with the dot product instructions: Cortex-A55, A75 and A76, Apple A11 or newer.
#include <arm_neon.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

// Each builds on those before.
// clang-format off
#include "kernels/isa/neon_inl.h"
#include "kernels/isa/neon_dotprod_inl.h"
// clang-format on

#include "kernels/kernels_inl.h"

}  // namespace

const Kernels neon_dotprod_kernels = make_table("neon_dotprod");

}  // namespace kazeia
