// Products of nibbles where dot4 has no 16-bit sums in between; included by isa/*.cpp after their dot4.

inline VecTypes<kWidth>::I add_nibbles(VecTypes<kWidth>::I acc, VecTypes<kWidth>::I both, VecTypes<kWidth>::I even,
                                       VecTypes<kWidth>::I odd) {
  const VecTypes<kWidth>::I mask = VecTypes<kWidth>::I{} + 0x0F0F0F0F;
  return dot4(dot4(acc, both & mask, even), (both >> 4) & mask, odd);
}

inline VecTypes<kWidth>::I finish_nibbles(VecTypes<kWidth>::I acc) { return acc; }
