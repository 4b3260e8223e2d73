// The kernels for every 64-bit ARM CPU.
#include <arm_neon.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

#include "kernels/isa/neon_inl.h"

// The sum of two products fits into 16 bits: 2 * 128 * 127 = 32,512.
inline VecTypes<4>::I dot4(VecTypes<4>::I acc, VecTypes<4>::I w, VecTypes<4>::I x) {
  const int8x16_t weights = signed_bytes(w);
  const auto values = reinterpret_cast<int8x16_t>(x);
  const int16x8_t first = vmull_s8(vget_low_s8(weights), vget_low_s8(values));
  const int16x8_t last = vmull_high_s8(weights, values);
  return reinterpret_cast<VecTypes<4>::I>(vpadalq_s16(reinterpret_cast<int32x4_t>(acc), vpaddq_s16(first, last)));
}

// Products of nibbles stay in 16 bits until the end: 4 calls x 2 x 2 x 15 * 127 = 30,480.
inline VecTypes<4>::I add_nibbles(VecTypes<4>::I acc, VecTypes<4>::I both, VecTypes<4>::I even, VecTypes<4>::I odd) {
  const int8x16_t low = low_nibbles(both), high = high_nibbles(both);
  const auto x_low = reinterpret_cast<int8x16_t>(even), x_high = reinterpret_cast<int8x16_t>(odd);
  int16x8_t first = vmull_s8(vget_low_s8(low), vget_low_s8(x_low));
  int16x8_t last = vmull_high_s8(low, x_low);
  first = vmlal_s8(first, vget_low_s8(high), vget_low_s8(x_high));
  last = vmlal_high_s8(last, high, x_high);
  return reinterpret_cast<VecTypes<4>::I>(vaddq_s16(reinterpret_cast<int16x8_t>(acc), vpaddq_s16(first, last)));
}

inline VecTypes<4>::I finish_nibbles(VecTypes<4>::I acc) {
  return reinterpret_cast<VecTypes<4>::I>(vpaddlq_s16(reinterpret_cast<int16x8_t>(acc)));
}

#include "kernels/kernels_inl.h"

}  // namespace

const Kernels neon_kernels = make_table("neon");

}  // namespace kazeia
