// The kernels for any CPU, four floats at a time as plain C++: the meaning of every other table.
#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

constexpr int kWidth = 4;
constexpr int kTileRows = 2;
constexpr int kDotBias = 128;

inline VecTypes<4>::I dot4(VecTypes<4>::I acc, VecTypes<4>::I w, VecTypes<4>::I x) {
  for (int lane = 0; lane < 4; ++lane) {
    const auto unsigned_bytes = static_cast<uint32_t>(w[lane]);
    const auto signed_bytes = static_cast<uint32_t>(x[lane]);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      acc[lane] += static_cast<int32_t>(unsigned_bytes >> shift & 0xFFU) *
                   static_cast<int32_t>(static_cast<int8_t>(signed_bytes >> shift & 0xFFU));
    }
  }
  return acc;
}

#include "kernels/isa/nibbles_inl.h"

inline float half_bits_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16U;
  const uint32_t rest = half & 0x7FFFU;
  // Moves exponent and mantissa into place, then corrects the exponent's bias by a multiplication, subnormals too.
  const uint32_t bits = rest << 13U;
  float value = 0.0F;
  std::memcpy(&value, &bits, 4);
  value *= 0x1p112F;
  uint32_t result = 0;
  std::memcpy(&result, &value, 4);
  result |= sign;
  std::memcpy(&value, &result, 4);
  return value;
}

inline VecTypes<4>::F half_to_float(const std::byte* p) {
  uint16_t halves[4];
  std::memcpy(halves, p, sizeof halves);
  VecTypes<4>::F v;
  for (int i = 0; i < 4; ++i) v[i] = half_bits_to_float(halves[i]);
  return v;
}

inline VecTypes<4>::F bfloat_to_float(const std::byte* p) {
  uint16_t values[4];
  std::memcpy(values, p, sizeof values);
  VecTypes<4>::I bits;
  for (int i = 0; i < 4; ++i) bits[i] = static_cast<int32_t>(static_cast<uint32_t>(values[i]) << 16U);
  return as_float<VecTypes<4>::I, VecTypes<4>::F>(bits);
}

// The second builds on the first.
// clang-format off
#include "kernels/kernels_inl.h"
#include "kernels/elementwise_inl.h"
// clang-format on

}  // namespace

const Kernels scalar_kernels = make_table("scalar");

}  // namespace kazeia
