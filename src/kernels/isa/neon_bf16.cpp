// The kernels for 64-bit ARM CPUs with dot products of bf16 pairs too: Armv8.6, such as Cortex-A510, A710 and X2.
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

struct DotPairs {
  static F add(F acc, I w, I x) {
    return vbfdotq_f32(acc, reinterpret_cast<bfloat16x8_t>(w), reinterpret_cast<bfloat16x8_t>(x));
  }
  static H round(F v) { return reinterpret_cast<H>(vcvt_bf16_f32(v)); }
};

}  // namespace

const Kernels neon_bf16_kernels = with_bf16_dots<DotPairs>(make_table("neon_bf16"));

}  // namespace kazeia
