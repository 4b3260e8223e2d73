// The kernels for any CPU, four floats at a time as plain C++: the meaning of every other table.
#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

constexpr int kWidth = 4;
constexpr int kTileRows = 4;
constexpr int kPanelVectors = 2;
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

inline VecTypes<4>::I load_16_bits(const std::byte* p) {
  uint16_t values[4];
  std::memcpy(values, p, sizeof values);
  return VecTypes<4>::I{values[0], values[1], values[2], values[3]};
}

// Moves exponent and mantissa into place, then corrects the exponent's bias by a multiplication, subnormals too.
inline VecTypes<4>::F half_to_float(const std::byte* p) {
  const VecTypes<4>::I bits = load_16_bits(p);
  const auto size = as_float<VecTypes<4>::I, VecTypes<4>::F>((bits & 0x7FFF) << 13) * 0x1p112F;
  const VecTypes<4>::I sign = (bits & 0x8000) << 16;
  return as_float<VecTypes<4>::I, VecTypes<4>::F>(reinterpret_cast<VecTypes<4>::I>(size) | sign);
}

inline VecTypes<4>::F bfloat_to_float(const std::byte* p) {
  return as_float<VecTypes<4>::I, VecTypes<4>::F>(load_16_bits(p) << 16);
}

#include "kernels/kernels_inl.h"

}  // namespace

const Kernels scalar_kernels = make_table("scalar");

}  // namespace kazeia
