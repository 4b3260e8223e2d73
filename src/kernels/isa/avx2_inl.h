// What the tables for AVX2 have in common; the including file sits inside its namespace.

constexpr int kWidth = 8;
constexpr int kTileRows = 6;
constexpr int kPanelVectors = 2;

using Ints = VecTypes<8>::I;

inline __m256i bits_of(Ints v) { return reinterpret_cast<__m256i>(v); }
inline Ints ints(__m256i v) { return reinterpret_cast<Ints>(v); }

inline VecTypes<8>::F half_to_float(const std::byte* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

inline VecTypes<8>::F bfloat_to_float(const std::byte* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
