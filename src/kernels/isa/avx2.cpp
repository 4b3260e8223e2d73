// The kernels for x86-64 with AVX2, FMA and F16C: Haswell and Zen or newer.
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

constexpr int kWidth = 8;
constexpr int kTileRows = 4;
constexpr int kDotBias = 128;

// Bytes widened to 16 bits: the even ones by a mask, the odd ones by a shift. No saturation anywhere: 2 * 255 * 128
// fits.
inline VecTypes<8>::I dot4(VecTypes<8>::I acc, VecTypes<8>::I w, VecTypes<8>::I x) {
  const __m256i even_mask = _mm256_set1_epi16(0x00FF);
  const auto weights = reinterpret_cast<__m256i>(w);
  const auto values = reinterpret_cast<__m256i>(x);
  const __m256i x_even = _mm256_srai_epi16(_mm256_slli_epi16(values, 8), 8);
  const __m256i x_odd = _mm256_srai_epi16(values, 8);
  const __m256i even = _mm256_madd_epi16(_mm256_and_si256(weights, even_mask), x_even);
  const __m256i odd = _mm256_madd_epi16(_mm256_srli_epi16(weights, 8), x_odd);
  return acc + reinterpret_cast<VecTypes<8>::I>(_mm256_add_epi32(even, odd));
}

// Products of nibbles fit into 16 bits: 4 calls x 2 x 2 x 15 * 127 = 30,480. So the pairs are summed there first.
inline VecTypes<8>::I add_nibbles(VecTypes<8>::I acc, VecTypes<8>::I both, VecTypes<8>::I even, VecTypes<8>::I odd) {
  const __m256i mask = _mm256_set1_epi8(15);
  const auto nibbles = reinterpret_cast<__m256i>(both);
  const __m256i low = _mm256_maddubs_epi16(_mm256_and_si256(nibbles, mask), reinterpret_cast<__m256i>(even));
  const __m256i shifted = _mm256_srli_epi16(nibbles, 4);
  const __m256i high = _mm256_maddubs_epi16(_mm256_and_si256(shifted, mask), reinterpret_cast<__m256i>(odd));
  return reinterpret_cast<VecTypes<8>::I>(
      _mm256_add_epi16(reinterpret_cast<__m256i>(acc), _mm256_add_epi16(low, high)));
}

inline VecTypes<8>::I finish_nibbles(VecTypes<8>::I acc) {
  return reinterpret_cast<VecTypes<8>::I>(_mm256_madd_epi16(reinterpret_cast<__m256i>(acc), _mm256_set1_epi16(1)));
}

inline VecTypes<8>::F half_to_float(const std::byte* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

inline VecTypes<8>::F bfloat_to_float(const std::byte* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

// The second builds on the first.
// clang-format off
#include "kernels/kernels_inl.h"
#include "kernels/elementwise_inl.h"
// clang-format on

}  // namespace

const Kernels avx2_kernels = make_table("avx2");

}  // namespace kazeia
