// What the tables for AVX-512 with VNNI share, besides avx512_inl.h.

constexpr int kDotBias = 128;

inline Ints dot4(Ints acc, Ints w, Ints x) { return ints(_mm512_dpbusd_epi32(bits_of(acc), bits_of(w), bits_of(x))); }
