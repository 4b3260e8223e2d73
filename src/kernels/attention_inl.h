// Attention of one query: its products with keys, and the weighted sum of values; included by kernels_inl.h.

// Blocks of SIZE x SIZE beside the diagonal change places, then larger ones.
template <int SIZE>
inline void swap_blocks(F (&m)[kWidth]) {
  if constexpr (SIZE < kWidth) {
    for (int i = 0; i < kWidth; ++i) {
      if (i & SIZE) continue;
      const F upper = m[i], lower = m[i + SIZE];
      m[i] = pick(upper, lower, [](int lane) { return lane & SIZE ? lane - SIZE + kWidth : lane; });
      m[i + SIZE] = pick(upper, lower, [](int lane) { return lane & SIZE ? lane + kWidth : lane + SIZE; });
    }
    swap_blocks<2 * SIZE>(m);
  }
}

// Rows become columns.
inline void transpose(F (&m)[kWidth]) {
  // Lanes of a and b, in each block of four.
  const auto a0_b0_a1_b1 = [](int lane) { return lane / 4 * 4 + lane % 4 / 2 + lane % 2 * kWidth; };
  const auto a2_b2_a3_b3 = [](int lane) { return lane / 4 * 4 + lane % 4 / 2 + lane % 2 * kWidth + 2; };
  const auto a0_a1_b0_b1 = [](int lane) { return lane / 4 * 4 + lane % 2 + lane % 4 / 2 * kWidth; };
  const auto a2_a3_b2_b3 = [](int lane) { return lane / 4 * 4 + lane % 2 + lane % 4 / 2 * kWidth + 2; };
  for (int i = 0; i < kWidth; i += 4) {
    const F upper_first = pick(m[i], m[i + 1], a0_b0_a1_b1), upper_last = pick(m[i], m[i + 1], a2_b2_a3_b3);
    const F lower_first = pick(m[i + 2], m[i + 3], a0_b0_a1_b1), lower_last = pick(m[i + 2], m[i + 3], a2_b2_a3_b3);
    m[i] = pick(upper_first, lower_first, a0_a1_b0_b1);
    m[i + 1] = pick(upper_first, lower_first, a2_a3_b2_b3);
    m[i + 2] = pick(upper_last, lower_last, a0_a1_b0_b1);
    m[i + 3] = pick(upper_last, lower_last, a2_a3_b2_b3);
  }
  swap_blocks<4>(m);
}

// As many rows at a time as a vector has lanes: their lanes are summed side by side, in the order of dot().
inline void dot_rows(const float* x, const float* rows, int width, int num_rows, float* y) {
  int row = 0;
  for (; row + kWidth <= num_rows; row += kWidth) {
    F lanes[kWidth];
    for (F& own : lanes) {
      own = dot_lanes(x, rows, width);
      rows += width;
    }
    transpose(lanes);
    F sums = {};
    for (const F& lane : lanes) sums += lane;
    store(y + row, sums);
  }
  for (; row < num_rows; ++row, rows += width) y[row] = dot(x, rows, width);
}

// The sums of some columns stay in registers while all rows pass by.
inline void add_rows(const float* rows, const float* weights, int width, int num_rows, float* y) {
  constexpr int kSums = 8;
  int i = 0;
  for (; i + kSums * kWidth <= width; i += kSums * kWidth) {
    F sums[kSums];
    for (int v = 0; v < kSums; ++v) sums[v] = load<F>(y + i + v * kWidth);
    const float* row = rows + i;
    for (int r = 0; r < num_rows; ++r, row += width)
      for (int v = 0; v < kSums; ++v) sums[v] += load<F>(row + v * kWidth) * weights[r];
    for (int v = 0; v < kSums; ++v) store(y + i + v * kWidth, sums[v]);
  }
  for_each_vector(width - i, [&](int j, int n) {
    F sum = load_some(y + i + j, n);
    for (int r = 0; r < num_rows; ++r) sum += load_some(rows + int64_t{r} * width + i + j, n) * weights[r];
    store_some(y + i + j, sum, n);
  });
}
