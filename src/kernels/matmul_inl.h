// Products of quantised weights: 16 matrix rows x BATCH activation rows; included by kernels_inl.h.

constexpr int kRowVectors = kPackedRows / kWidth;  // vectors that hold the 16 rows
// Activation rows whose sums stay in registers: each takes 2 * kRowVectors vectors of them; half of the registers is
// for the operands.
constexpr int kBestBatch = kRowVectors == 1 ? 4 : 2;
// Groups of 16 matrix rows read side by side for one activation row: memory gives a core a quarter more this way than
// as a single stream (docs/performance.md). More activation rows take fewer, so that the sums still fit.
constexpr int kStreams = 4;

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

// Asked for a little ahead of the processor's own prefetches, which do most of the work.
constexpr size_t kPrefetchDistance = 256;

inline const std::byte* ask_ahead(const std::byte* w) {
  __builtin_prefetch(w + kPrefetchDistance);
  return w;
}

inline void load_scales(const std::byte* halves, F (&scales)[kRowVectors]) {
  for (int v = 0; v < kRowVectors; ++v) scales[v] = half_to_float(halves + v * kWidth * 2);
}

// The two formats. multiply(): block b of STREAMS groups of 16 matrix rows, of which the first lies at w, times that of
// BATCH activation rows, added to the sums.
struct PackedQ8 {
  static constexpr size_t kBlockBytes = kPackedQ8Block;

  template <int STREAMS, int BATCH>
  static void multiply(const std::byte* w, size_t stream_bytes, const QuantRow* x, int b,
                       F (&acc)[STREAMS][BATCH][kRowVectors]) {
    I dots[STREAMS][BATCH][kRowVectors] = {};
#pragma GCC unroll 8
    for (int quad = 0; quad < kGroup / 4; ++quad) {
#pragma GCC unroll 4
      for (size_t s = 0; s < STREAMS; ++s) {
        const std::byte* line = ask_ahead(w + s * stream_bytes + quad * kPackedRows * 4);
        for (int v = 0; v < kRowVectors; ++v) {
          const I weights = load<I>(line + v * kWidth * 4);
          for (int m = 0; m < BATCH; ++m)
            dots[s][m][v] = dot4(dots[s][m][v], weights, splat_quad(x[m].q + b * kGroup + quad * 4));
        }
      }
    }
    for (size_t s = 0; s < STREAMS; ++s) {
      F scales[kRowVectors];
      load_scales(ask_ahead(w + s * stream_bytes + kPackedRows * kGroup), scales);
      add_block<BATCH, kDotBias>(dots[s], scales, x, b, acc[s]);
    }
  }
};

struct PackedQ4 {
  static constexpr size_t kBlockBytes = kPackedQ4Block;

  template <int STREAMS, int BATCH>
  static void multiply(const std::byte* w, size_t stream_bytes, const QuantRow* x, int b,
                       F (&acc)[STREAMS][BATCH][kRowVectors]) {
    I dots[STREAMS][BATCH][kRowVectors] = {};
#pragma GCC unroll 4
    for (int pair = 0; pair < kGroup / 8; ++pair) {
#pragma GCC unroll 4
      for (size_t s = 0; s < STREAMS; ++s) {
        const std::byte* line = ask_ahead(w + s * stream_bytes + pair * kPackedRows * 4);
        for (int v = 0; v < kRowVectors; ++v) {
          const I both = load<I>(line + v * kWidth * 4);
          for (int m = 0; m < BATCH; ++m) {
            const int8_t* quads = x[m].q + b * kGroup + pair * 8;
            dots[s][m][v] = add_nibbles(dots[s][m][v], both, splat_quad(quads), splat_quad(quads + 4));
          }
        }
      }
    }
    for (size_t s = 0; s < STREAMS; ++s) {
      F scales[kRowVectors];
      load_scales(ask_ahead(w + s * stream_bytes + kPackedRows * kGroup / 2), scales);
      for (int m = 0; m < BATCH; ++m)
        for (int v = 0; v < kRowVectors; ++v) dots[s][m][v] = finish_nibbles(dots[s][m][v]);
      add_block<BATCH, 8>(dots[s], scales, x, b, acc[s]);
    }
  }
};

// STREAMS groups, `stride` groups apart, times BATCH activation rows.
template <class Packed, int STREAMS, int BATCH>
inline void multiply_groups(const std::byte* w, int stride, const QuantRow* x, int num_blocks, float* y,
                            int64_t y_stride) {
  const size_t stream_bytes = Packed::kBlockBytes * static_cast<size_t>(num_blocks) * static_cast<size_t>(stride);
  F acc[STREAMS][BATCH][kRowVectors] = {};
  for (int b = 0; b < num_blocks; ++b, w += Packed::kBlockBytes) Packed::multiply(w, stream_bytes, x, b, acc);
  for (int s = 0; s < STREAMS; ++s)
    for (int m = 0; m < BATCH; ++m)
      for (int v = 0; v < kRowVectors; ++v)
        store(y + m * y_stride + s * stride * kPackedRows + v * kWidth, acc[s][m][v]);
}

inline QuantRow row_of(const QuantRow& first, int m, int num_blocks) {
  const int64_t blocks = int64_t{m} * num_blocks;
  return {first.q + blocks * kGroup, first.scale + blocks, first.sum + blocks};
}

// The product of num_rows <= BATCH activation rows. The groups are cut into as many runs as there are streams, and a
// rest.
template <class Packed, int BATCH = kBestBatch>
inline void multiply_rows(int num_rows, const std::byte* packed, const QuantRow& x, int num_blocks, float* y,
                          int64_t y_stride, int group_begin, int group_end) {
  if constexpr (BATCH > 1) {
    if (num_rows < BATCH)
      return multiply_rows<Packed, BATCH - 1>(num_rows, packed, x, num_blocks, y, y_stride, group_begin, group_end);
  }
  QuantRow rows[BATCH];
  for (int m = 0; m < BATCH; ++m) rows[m] = row_of(x, m, num_blocks);
  constexpr int kRuns = kStreams / BATCH;
  const size_t group_bytes = Packed::kBlockBytes * static_cast<size_t>(num_blocks);
  const auto at = [&](int group) { return packed + static_cast<size_t>(group) * group_bytes; };
  const int run = (group_end - group_begin) / kRuns;
  for (int group = group_begin; group < group_begin + run; ++group)
    multiply_groups<Packed, kRuns, BATCH>(at(group), run, rows, num_blocks, y + group * kPackedRows, y_stride);
  for (int group = group_begin + kRuns * run; group < group_end; ++group)
    multiply_groups<Packed, 1, BATCH>(at(group), 0, rows, num_blocks, y + group * kPackedRows, y_stride);
}

// Of many activation rows, a group of weights is read for all before the next one.
template <class Packed>
inline void matmul(const std::byte* packed, const QuantRow& x, int num_x, int num_blocks, float* y, int64_t y_stride,
                   int group_begin, int group_end) {
  if (num_x <= kBestBatch)
    return multiply_rows<Packed>(num_x, packed, x, num_blocks, y, y_stride, group_begin, group_end);
  for (int group = group_begin; group < group_end; ++group) {
    for (int m = 0; m < num_x; m += kBestBatch)
      multiply_rows<Packed>(num_x - m < kBestBatch ? num_x - m : kBestBatch, packed, row_of(x, m, num_blocks),
                            num_blocks, y + m * y_stride, y_stride, group, group + 1);
  }
}
