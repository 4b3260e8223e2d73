// Products of quantised weights: 16 matrix rows x BATCH activation rows; included by kernels_inl.h.

constexpr int kRowVectors = kPackedRows / kWidth;  // vectors that hold the 16 rows
// Each activation row takes 2 * kRowVectors vectors of sums; half of the registers is for the operands.
constexpr int kBestBatch = kRowVectors == 1 ? kMaxBatch : 2;

inline I splat_quad(const int8_t* quad) {
  int32_t bits = 0;
  std::memcpy(&bits, quad, 4);
  return I{} + bits;
}

// Adds block b of every activation row to the sums. BIAS is what the weights in `dots` exceed their values by.
template <int BATCH, int BIAS>
inline void add_block(const I (&dots)[BATCH][kRowVectors], const F (&scales)[kRowVectors], const QuantRow* x, int b,
                      F (&acc)[BATCH][kRowVectors]) {
  for (int m = 0; m < BATCH; ++m) {
    const float x_scale = x[m].scale[b];
    for (int v = 0; v < kRowVectors; ++v) {
      const I dot = dots[m][v] - BIAS * x[m].sum[b];
      acc[m][v] += __builtin_convertvector(dot, F) * (scales[v] * x_scale);
    }
  }
}

// Weights come from memory once for each use, so every line is asked for well before it is needed.
template <size_t BYTES>
inline void prefetch_ahead(const std::byte* w) {
  constexpr size_t kDistance = 4096;
  for (size_t at = 0; at < BYTES; at += 64) __builtin_prefetch(w + kDistance + at);
}

template <int BATCH>
inline void group_q8(const std::byte* w, const QuantRow* x, int num_blocks, float* y, int64_t y_stride) {
  F acc[BATCH][kRowVectors] = {};
  for (int b = 0; b < num_blocks; ++b, w += kPackedQ8Block) {
    prefetch_ahead<kPackedQ8Block>(w);
    I dots[BATCH][kRowVectors] = {};
#pragma GCC unroll 8
    for (int quad = 0; quad < kGroup / 4; ++quad) {
      for (int v = 0; v < kRowVectors; ++v) {
        const I weights = load<I>(w + (quad * kRowVectors + v) * static_cast<int>(sizeof(I)));
        for (int m = 0; m < BATCH; ++m)
          dots[m][v] = dot4(dots[m][v], weights, splat_quad(x[m].q + b * kGroup + quad * 4));
      }
    }
    F scales[kRowVectors];
    for (int v = 0; v < kRowVectors; ++v) scales[v] = half_to_float(w + kPackedRows * kGroup + v * kWidth * 2);
    add_block<BATCH, kDotBias>(dots, scales, x, b, acc);
  }
  for (int m = 0; m < BATCH; ++m)
    for (int v = 0; v < kRowVectors; ++v) store(y + m * y_stride + v * kWidth, acc[m][v]);
}

template <int BATCH>
inline void group_q4(const std::byte* w, const QuantRow* x, int num_blocks, float* y, int64_t y_stride) {
  F acc[BATCH][kRowVectors] = {};
  for (int b = 0; b < num_blocks; ++b, w += kPackedQ4Block) {
    prefetch_ahead<kPackedQ4Block>(w);
    I dots[BATCH][kRowVectors] = {};
#pragma GCC unroll 4
    for (int pair = 0; pair < kGroup / 8; ++pair) {
      for (int v = 0; v < kRowVectors; ++v) {
        const I both = load<I>(w + (pair * kRowVectors + v) * static_cast<int>(sizeof(I)));
        for (int m = 0; m < BATCH; ++m) {
          const int8_t* quads = x[m].q + b * kGroup + pair * 8;
          dots[m][v] = add_nibbles(dots[m][v], both, splat_quad(quads), splat_quad(quads + 4));
        }
      }
    }
    F scales[kRowVectors];
    for (int v = 0; v < kRowVectors; ++v) scales[v] = half_to_float(w + kPackedRows * kGroup / 2 + v * kWidth * 2);
    for (int m = 0; m < BATCH; ++m)
      for (int v = 0; v < kRowVectors; ++v) dots[m][v] = finish_nibbles(dots[m][v]);
    add_block<BATCH, 8>(dots, scales, x, b, acc);
  }
  for (int m = 0; m < BATCH; ++m)
    for (int v = 0; v < kRowVectors; ++v) store(y + m * y_stride + v * kWidth, acc[m][v]);
}

using GroupKernel = void (*)(const std::byte*, const QuantRow*, int, float*, int64_t);

inline void matmul(const GroupKernel (&by_batch)[kMaxBatch], size_t block_bytes, const std::byte* packed,
                   const QuantRow* x, int batch, int num_blocks, float* y, int64_t y_stride, int group_begin,
                   int group_end) {
  const size_t group_bytes = block_bytes * static_cast<size_t>(num_blocks);
  for (int group = group_begin; group < group_end; ++group)
    by_batch[batch - 1](packed + static_cast<size_t>(group) * group_bytes, x, num_blocks, y + group * kPackedRows,
                        y_stride);
}

inline void matmul_q8(const std::byte* packed, const QuantRow* x, int batch, int num_blocks, float* y, int64_t y_stride,
                      int group_begin, int group_end) {
  static constexpr GroupKernel kByBatch[kMaxBatch] = {group_q8<1>, group_q8<2>, group_q8<3>, group_q8<4>};
  matmul(kByBatch, kPackedQ8Block, packed, x, batch, num_blocks, y, y_stride, group_begin, group_end);
}

inline void matmul_q4(const std::byte* packed, const QuantRow* x, int batch, int num_blocks, float* y, int64_t y_stride,
                      int group_begin, int group_end) {
  static constexpr GroupKernel kByBatch[kMaxBatch] = {group_q4<1>, group_q4<2>, group_q4<3>, group_q4<4>};
  matmul(kByBatch, kPackedQ4Block, packed, x, batch, num_blocks, y, y_stride, group_begin, group_end);
}
