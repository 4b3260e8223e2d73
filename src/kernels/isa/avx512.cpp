// The kernels for x86-64 with AVX-512 (F, BW, VL, DQ) but without VNNI: Skylake servers.
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

#include "kernels/isa/avx512_inl.h"

constexpr int kDotBias = 128;

// Bytes widened to 16 bits: the even ones by a mask, the odd ones by a shift. No saturation anywhere: 2 * 255 * 128
// fits.
inline Ints dot4(Ints acc, Ints w, Ints x) {
  const auto weights = bits_of(w), values = bits_of(x);
  const auto x_even = _mm512_srai_epi16(_mm512_slli_epi16(values, 8), 8);
  const auto x_odd = _mm512_srai_epi16(values, 8);
  const auto even = _mm512_madd_epi16(_mm512_and_si512(weights, _mm512_set1_epi16(0x00FF)), x_even);
  const auto odd = _mm512_madd_epi16(_mm512_srli_epi16(weights, 8), x_odd);
  return acc + ints(_mm512_add_epi32(even, odd));
}

// Products of nibbles fit into 16 bits: 4 calls x 2 x 2 x 15 * 127 = 30,480. So the pairs are summed there first.
inline Ints add_nibbles(Ints acc, Ints both, Ints even, Ints odd) {
  const auto mask = _mm512_set1_epi8(15);
  const auto low = _mm512_maddubs_epi16(_mm512_and_si512(bits_of(both), mask), bits_of(even));
  const auto shifted = _mm512_srli_epi16(bits_of(both), 4);
  const auto high = _mm512_maddubs_epi16(_mm512_and_si512(shifted, mask), bits_of(odd));
  return ints(_mm512_add_epi16(bits_of(acc), _mm512_add_epi16(low, high)));
}

inline Ints finish_nibbles(Ints acc) { return ints(_mm512_madd_epi16(bits_of(acc), _mm512_set1_epi16(1))); }

inline Ints pair_products(Ints w, Ints x) { return ints(_mm512_madd_epi16(bits_of(w), bits_of(x))); }
inline Ints nibble_products(Ints w, Ints x) { return ints(_mm512_maddubs_epi16(bits_of(w), bits_of(x))); }

// Each builds on those before.
// clang-format off
#include "kernels/kernels_inl.h"
#include "kernels/many_rows_inl.h"
// clang-format on

}  // namespace

const Kernels avx512_kernels = with_many_rows(make_table("avx512"));

}  // namespace kazeia
