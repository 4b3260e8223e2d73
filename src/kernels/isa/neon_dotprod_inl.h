// What the tables for 64-bit ARM with dot product instructions share, besides neon_inl.h.

inline VecTypes<4>::I dot_signed(VecTypes<4>::I acc, int8x16_t w, VecTypes<4>::I x) {
  return reinterpret_cast<VecTypes<4>::I>(
      vdotq_s32(reinterpret_cast<int32x4_t>(acc), w, reinterpret_cast<int8x16_t>(x)));
}

inline VecTypes<4>::I dot4(VecTypes<4>::I acc, VecTypes<4>::I w, VecTypes<4>::I x) {
  return dot_signed(acc, signed_bytes(w), x);
}

inline VecTypes<4>::I add_nibbles(VecTypes<4>::I acc, VecTypes<4>::I both, VecTypes<4>::I even, VecTypes<4>::I odd) {
  return dot_signed(dot_signed(acc, low_nibbles(both), even), high_nibbles(both), odd);
}

inline VecTypes<4>::I finish_nibbles(VecTypes<4>::I acc) { return acc; }
