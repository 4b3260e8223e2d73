// Products of quantised weights: 16 matrix rows x BATCH activation rows; included by kernels_inl.h.

constexpr int kRowVectors = kPackedRows / kWidth;  // vectors that hold the 16 rows
// Activation rows whose sums stay in registers: each takes 2 * kRowVectors vectors of them; half of the registers is
// for the operands.
constexpr int kMaxBatch = 4;
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
constexpr size_t kPrefetchDistance = 4096;

inline void prefetch(const std::byte* w, size_t num_bytes) {
  for (size_t at = 0; at < num_bytes; at += 64) __builtin_prefetch(w + at);
}

inline void load_scales(const std::byte* halves, F (&scales)[kRowVectors]) {
  for (int v = 0; v < kRowVectors; ++v) scales[v] = half_to_float(halves + v * kWidth * 2);
}

template <int BATCH>
inline void group_q8(const std::byte* w, const QuantRow* x, int num_blocks, float* y, int64_t y_stride) {
  F acc[BATCH][kRowVectors] = {};
  for (int b = 0; b < num_blocks; ++b, w += kPackedQ8Block) {
    prefetch(w + kPrefetchDistance, kPackedQ8Block);
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
    load_scales(w + kPackedRows * kGroup, scales);
    add_block<BATCH, kDotBias>(dots, scales, x, b, acc);
  }
  for (int m = 0; m < BATCH; ++m)
    for (int v = 0; v < kRowVectors; ++v) store(y + m * y_stride + v * kWidth, acc[m][v]);
}

template <int BATCH>
inline void group_q4(const std::byte* w, const QuantRow* x, int num_blocks, float* y, int64_t y_stride) {
  F acc[BATCH][kRowVectors] = {};
  for (int b = 0; b < num_blocks; ++b, w += kPackedQ4Block) {
    prefetch(w + kPrefetchDistance, kPackedQ4Block);
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
    load_scales(w + kPackedRows * kGroup / 2, scales);
    for (int m = 0; m < BATCH; ++m)
      for (int v = 0; v < kRowVectors; ++v) dots[m][v] = finish_nibbles(dots[m][v]);
    add_block<BATCH, 8>(dots, scales, x, b, acc);
  }
  for (int m = 0; m < BATCH; ++m)
    for (int v = 0; v < kRowVectors; ++v) store(y + m * y_stride + v * kWidth, acc[m][v]);
}

using GroupKernel = void (*)(const std::byte*, const QuantRow*, int, float*, int64_t);

inline QuantRow row_of(const QuantRow& first, int m, int num_blocks) {
  const int64_t blocks = int64_t{m} * num_blocks;
  return {first.q + blocks * kGroup, first.scale + blocks, first.sum + blocks};
}

// A group of weights is read for all rows before the next one.
inline void matmul(const GroupKernel (&by_batch)[kMaxBatch], size_t block_bytes, const std::byte* packed,
                   const QuantRow& x, int num_x, int num_blocks, float* y, int64_t y_stride, int group_begin,
                   int group_end) {
  const size_t group_bytes = block_bytes * static_cast<size_t>(num_blocks);
  for (int group = group_begin; group < group_end; ++group) {
    for (int first = 0; first < num_x; first += kBestBatch) {
      const int batch = num_x - first < kBestBatch ? num_x - first : kBestBatch;
      QuantRow rows[kBestBatch];
      for (int m = 0; m < batch; ++m) rows[m] = row_of(x, first + m, num_blocks);
      by_batch[batch - 1](packed + static_cast<size_t>(group) * group_bytes, rows, num_blocks,
                          y + first * y_stride + group * kPackedRows, y_stride);
    }
  }
}

inline void matmul_q8(const std::byte* packed, const QuantRow& x, int num_x, int num_blocks, float* y, int64_t y_stride,
                      int group_begin, int group_end) {
  static constexpr GroupKernel kByBatch[kMaxBatch] = {group_q8<1>, group_q8<2>, group_q8<3>, group_q8<4>};
  matmul(kByBatch, kPackedQ8Block, packed, x, num_x, num_blocks, y, y_stride, group_begin, group_end);
}

inline void matmul_q4(const std::byte* packed, const QuantRow& x, int num_x, int num_blocks, float* y, int64_t y_stride,
                      int group_begin, int group_end) {
  static constexpr GroupKernel kByBatch[kMaxBatch] = {group_q4<1>, group_q4<2>, group_q4<3>, group_q4<4>};
  matmul(kByBatch, kPackedQ4Block, packed, x, num_x, num_blocks, y, y_stride, group_begin, group_end);
}
