// What the tables for AVX-512 have in common; the including file sits inside its namespace.

constexpr int kWidth = 16;
constexpr int kTileRows = 8;
constexpr int kPanelVectors = 3;

using Ints = VecTypes<16>::I;

inline __m512i bits_of(Ints v) { return reinterpret_cast<__m512i>(v); }
inline Ints ints(__m512i v) { return reinterpret_cast<Ints>(v); }

// Conversions with a full mask: GCC 12 warns of an undefined value inside the plain forms.
inline VecTypes<16>::F half_to_float(const std::byte* p) {
  return _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}

inline VecTypes<16>::F bfloat_to_float(const std::byte* p) {
  const __m512i wide = _mm512_maskz_cvtepu16_epi32(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return as_float<Ints, VecTypes<16>::F>(ints(wide) << 16);
}
