// What the tables for 64-bit ARM share; included by isa/neon*.cpp inside a namespace of its own.

constexpr int kWidth = 4;
constexpr int kTileRows = 8;
constexpr int kPanelVectors = 3;
constexpr int kDotBias = 0;

// Stored bytes q + 128 -> q.
inline int8x16_t signed_bytes(VecTypes<4>::I stored) {
  return vreinterpretq_s8_u8(veorq_u8(reinterpret_cast<uint8x16_t>(stored), vdupq_n_u8(128)));
}

inline int8x16_t low_nibbles(VecTypes<4>::I both) {
  return vandq_s8(reinterpret_cast<int8x16_t>(both), vdupq_n_s8(15));
}

inline int8x16_t high_nibbles(VecTypes<4>::I both) {
  return vreinterpretq_s8_u8(vshrq_n_u8(reinterpret_cast<uint8x16_t>(both), 4));
}

inline VecTypes<4>::F half_to_float(const std::byte* p) { return vcvt_f32_f16(load<float16x4_t>(p)); }

inline VecTypes<4>::F bfloat_to_float(const std::byte* p) {
  return vreinterpretq_f32_u32(vshll_n_u16(load<uint16x4_t>(p), 16));
}
