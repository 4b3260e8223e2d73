// The kernels, written once. Included by each isa/*.cpp inside a namespace of its own, after it has defined:
//   kWidth               floats in a vector
//   kTileRows            rows of a convolution tile; kTileRows * 3 + 4 vectors fit into the registers
//   dot4(acc, w, x)      acc[i] += sum over the 4 bytes of lane i of (q + kDotBias) * x; w: bytes q + 128 as they are
//                        packed, x: signed bytes (the same 4 in each lane)
//   kDotBias             128 where dot4 takes the packed bytes as they are, 0 where it makes them signed
//   add_nibbles(acc, both, even, odd)  adds the products of the low nibbles of `both` with the quad `even` and of the
//                        high ones with `odd`, to be called at most 4 times on one acc; finish_nibbles(acc) makes it
//                        the sum
//   half_to_float(p)     kWidth f16 values -> floats
//   bfloat_to_float(p)   kWidth bf16 values -> floats
// Formulas: kernels.h.

using F = VecTypes<kWidth>::F;
using I = VecTypes<kWidth>::I;

constexpr int kPanelVectors = 3;
constexpr int kPanelColumns = kPanelVectors * kWidth;
// Channels of one pass over a panel: 3 * 8 * 4 B * 256 = 24 KiB of weights stay in the first-level cache.
constexpr int kDepthBlock = 6144 / kPanelColumns;

// ---- convolution: ROWS x kPanelColumns outputs stay in registers while `depth` channels pass by

template <int ROWS>
inline void conv_tile(const float* x, int64_t x_stride, const float* w, int depth, float* y, int64_t y_stride) {
  F acc[ROWS][kPanelVectors];
  for (int r = 0; r < ROWS; ++r)
    for (int v = 0; v < kPanelVectors; ++v) acc[r][v] = load<F>(y + r * y_stride + v * kWidth);
  for (int c = 0; c < depth; ++c, w += kPanelColumns) {
    const F w0 = load<F>(w), w1 = load<F>(w + kWidth), w2 = load<F>(w + 2 * kWidth);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; ++r) {
      const float value = x[r * x_stride + c];
      acc[r][0] += w0 * value;
      acc[r][1] += w1 * value;
      acc[r][2] += w2 * value;
    }
  }
  for (int r = 0; r < ROWS; ++r)
    for (int v = 0; v < kPanelVectors; ++v) store(y + r * y_stride + v * kWidth, acc[r][v]);
}

inline void conv_tile_rows(int num_rows, const float* x, int64_t x_stride, const float* w, int depth, float* y,
                           int64_t y_stride) {
  int row = 0;
  for (; row + kTileRows <= num_rows; row += kTileRows)
    conv_tile<kTileRows>(x + row * x_stride, x_stride, w, depth, y + row * y_stride, y_stride);
  for (; row + 2 <= num_rows; row += 2)
    conv_tile<2>(x + row * x_stride, x_stride, w, depth, y + row * y_stride, y_stride);
  if (row < num_rows) conv_tile<1>(x + row * x_stride, x_stride, w, depth, y + row * y_stride, y_stride);
}

inline void start_rows(const float* bias, float* y, int64_t y_stride, int num_rows, int columns, ConvStore how) {
  for (int r = 0; r < num_rows; ++r) {
    for (int i = 0; i < columns; ++i) {
      const float start = bias ? bias[i] : 0.0F;
      y[r * y_stride + i] = how == ConvStore::add_to ? y[r * y_stride + i] + start : start;
    }
  }
}

// kPanelColumns * depth weights as floats: where they are, or widened into `block`.
inline const float* widen(const std::byte* w, ConvType type, int depth, float* block) {
  if (type == ConvType::f32) return reinterpret_cast<const float*>(w);
  const int count = depth * kPanelColumns;
  for (int i = 0; i < count; i += kWidth)
    store(block + i, type == ConvType::f16 ? half_to_float(w + i * 2) : bfloat_to_float(w + i * 2));
  return block;
}

// One panel whose columns all exist: y itself holds the sums between passes. Each output is summed over taps and
// channels in the same order whatever the range, so the split over threads and calls does not change a bit.
inline void conv_panel(const float* x, int64_t x_stride, const std::byte* w, ConvType type, float* y, int64_t y_stride,
                       const ConvShape& shape, int num_rows) {
  alignas(64) float block[kDepthBlock * kPanelColumns];
  for (int tap = 0; tap < shape.taps; ++tap) {
    const float* tap_rows = x + int64_t{tap} * shape.dilation * x_stride;
    for (int first = 0; first < shape.in_channels; first += kDepthBlock) {
      const int depth = shape.in_channels - first < kDepthBlock ? shape.in_channels - first : kDepthBlock;
      conv_tile_rows(num_rows, tap_rows + first, x_stride, widen(w, type, depth, block), depth, y, y_stride);
      w += static_cast<size_t>(depth) * kPanelColumns * conv_value_bytes(type);
    }
  }
}

// The last panel where N is no multiple of it: computed in a full-width copy.
inline void conv_part_panel(const float* x, int64_t x_stride, const std::byte* w, ConvType type, float* y,
                            int64_t y_stride, const ConvShape& shape, int num_rows, int columns) {
  constexpr int kRowsAtOnce = 64;
  float full[kRowsAtOnce * kPanelColumns] = {};
  for (int first = 0; first < num_rows; first += kRowsAtOnce) {
    const int count = num_rows - first < kRowsAtOnce ? num_rows - first : kRowsAtOnce;
    float* y_rows = y + first * y_stride;
    for (int r = 0; r < count; ++r)
      std::memcpy(full + r * kPanelColumns, y_rows + r * y_stride, static_cast<size_t>(columns) * sizeof(float));
    conv_panel(x + first * x_stride, x_stride, w, type, full, kPanelColumns, shape, count);
    for (int r = 0; r < count; ++r)
      std::memcpy(y_rows + r * y_stride, full + r * kPanelColumns, static_cast<size_t>(columns) * sizeof(float));
  }
}

inline void conv(const float* x, int64_t x_stride, const PackedConv& packed, float* y, int64_t y_stride,
                 const ConvShape& shape, const ConvRange& range, ConvStore how) {
  const int num_rows = range.row_end - range.row_begin;
  const float* x_rows = x + range.row_begin * x_stride;
  const size_t panel_bytes = static_cast<size_t>(kPanelColumns * shape.taps) * static_cast<size_t>(shape.in_channels) *
                             conv_value_bytes(packed.type);
  for (int panel = range.panel_begin; panel < range.panel_end; ++panel) {
    const int first = panel * kPanelColumns;
    const int columns = shape.out_channels - first < kPanelColumns ? shape.out_channels - first : kPanelColumns;
    const std::byte* w = packed.weights + static_cast<size_t>(panel) * panel_bytes;
    float* y_rows = y + range.row_begin * y_stride + first;
    start_rows(packed.bias ? packed.bias + first : nullptr, y_rows, y_stride, num_rows, columns, how);
    if (columns == kPanelColumns) {
      conv_panel(x_rows, x_stride, w, packed.type, y_rows, y_stride, shape, num_rows);
    } else {
      conv_part_panel(x_rows, x_stride, w, packed.type, y_rows, y_stride, shape, num_rows, columns);
    }
  }
}

// ---- products of quantised weights: 16 matrix rows x BATCH activation rows

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
