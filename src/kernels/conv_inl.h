// Convolutions; included by kernels_inl.h. The sums of a tile, kTileRows x kPanelColumns outputs, stay in registers
// while all taps and channels pass by. A panel's weights are read once for each tile, mostly from the second-level
// cache: that costs less than to write sums to memory and to read them again.

constexpr int kPanelColumns = kPanelVectors * kWidth;

template <ConvType TYPE>
inline F load_weights(const std::byte* w) {
  if constexpr (TYPE == ConvType::f16) {
    return half_to_float(w);
  } else if constexpr (TYPE == ConvType::bf16) {
    return bfloat_to_float(w);
  } else {
    return load<F>(w);
  }
}

// The next panel of weights, asked for bit by bit while this one is in use.
struct AheadOfUse {
  const std::byte* next;
  int bytes_in_step;

  void ask() {
    __builtin_prefetch(next);
    next += bytes_in_step;
  }
};

// sums: [ROWS, kPanelColumns], rows sums_stride apart. GCC keeps an array of vectors in registers only where every loop
// over it is unrolled.
template <ConvType TYPE, int ROWS>
inline void conv_tile(const float* x, int64_t x_stride, const std::byte* w, const ConvShape& shape, float* sums,
                      int64_t sums_stride, AheadOfUse ahead) {
  F acc[ROWS][kPanelVectors] = {};
  for (int tap = 0; tap < shape.taps; ++tap) {
    const float* row = x + int64_t{tap} * shape.dilation * x_stride;
    for (const float* end = row + shape.in_channels; row != end; ++row) {
      ahead.ask();
      F weights[kPanelVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v, w += kWidth * static_cast<int>(conv_value_bytes(TYPE)))
        weights[v] = load_weights<TYPE>(w);
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) {
        const float value = row[r * x_stride];
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v) acc[r][v] += weights[v] * value;
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) store(sums + r * sums_stride + v * kWidth, acc[r][v]);
  }
}

// The tile with exactly num_rows <= ROWS rows.
template <ConvType TYPE, int ROWS = kTileRows>
inline void conv_tile_of(int num_rows, const float* x, int64_t x_stride, const std::byte* w, const ConvShape& shape,
                         float* sums, int64_t sums_stride, AheadOfUse ahead) {
  if (num_rows == ROWS) return conv_tile<TYPE, ROWS>(x, x_stride, w, shape, sums, sums_stride, ahead);
  if constexpr (ROWS > 1) conv_tile_of<TYPE, ROWS - 1>(num_rows, x, x_stride, w, shape, sums, sums_stride, ahead);
}

// Adds to outputs what is to be added, and sends them where they are wanted: `count` columns from `column` on.
inline void finish_outputs(F value, int row, int column, int count, const float* bias, const ConvOutput& out) {
  const int64_t at = row * out.stride + column;
  if (bias) value += load_some(bias + column, count);
  if (out.residual) value += load_some(out.residual + at, count);
  if (out.y) store_some(out.y + at, value, count);
  if (!out.snaked) return;
  const F alpha = load_some(out.alpha + column, count), inv_beta = load_some(out.inv_beta + column, count);
  store_some(out.snaked + at, snake_of(value, alpha, inv_beta), count);
}

// The same for the sums of a tile. Columns [first, first + columns).
inline void finish_tile(const float* sums, int row, int num_rows, int first, int columns, const float* bias,
                        const ConvOutput& out) {
  for (int r = 0; r < num_rows; ++r, sums += kPanelColumns) {
    for_each_vector(columns,
                    [&](int i, int count) { finish_outputs(load<F>(sums + i), row + r, first + i, count, bias, out); });
  }
}

template <ConvType TYPE>
inline void conv_of_type(const float* x, int64_t x_stride, const PackedConv& packed, const ConvShape& shape,
                         const ConvRange& range, const ConvOutput& out) {
  alignas(64) float sums[kTileRows * kPanelColumns];
  const size_t panel_bytes =
      static_cast<size_t>(kPanelColumns * shape.taps) * static_cast<size_t>(shape.in_channels) * conv_value_bytes(TYPE);
  const bool is_plain = !packed.bias && !out.residual && !out.snaked;           // sums are outputs
  const int num_tiles = 1 + (range.row_end - range.row_begin - 1) / kTileRows;  // 1 for no rows
  const int bytes_in_step = kPanelColumns * static_cast<int>(conv_value_bytes(TYPE)) / num_tiles;
  const int part_of_panel = bytes_in_step * shape.taps * shape.in_channels;
  for (int panel = range.panel_begin; panel < range.panel_end; ++panel) {
    const int first = panel * kPanelColumns;
    const int columns = shape.out_channels - first < kPanelColumns ? shape.out_channels - first : kPanelColumns;
    const std::byte* w = packed.weights + static_cast<size_t>(panel) * panel_bytes;
    AheadOfUse ahead{w + panel_bytes, bytes_in_step};
    for (int row = range.row_begin; row < range.row_end; row += kTileRows, ahead.next += part_of_panel) {
      const int num_rows = range.row_end - row < kTileRows ? range.row_end - row : kTileRows;
      if (is_plain && columns == kPanelColumns) {
        conv_tile_of<TYPE>(num_rows, x + row * x_stride, x_stride, w, shape, out.y + row * out.stride + first,
                           out.stride, ahead);
        continue;
      }
      conv_tile_of<TYPE>(num_rows, x + row * x_stride, x_stride, w, shape, sums, kPanelColumns, ahead);
      finish_tile(sums, row, num_rows, first, columns, packed.bias, out);
    }
  }
}

inline void conv(const float* x, int64_t x_stride, const PackedConv& w, const ConvShape& shape, const ConvRange& range,
                 const ConvOutput& out) {
  switch (w.type) {
    case ConvType::f32: return conv_of_type<ConvType::f32>(x, x_stride, w, shape, range, out);
    case ConvType::f16: return conv_of_type<ConvType::f16>(x, x_stride, w, shape, range, out);
    case ConvType::bf16: return conv_of_type<ConvType::bf16>(x, x_stride, w, shape, range, out);
  }
}
