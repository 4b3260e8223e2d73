// Convolutions of bf16 pairs; included by kernels_inl.h after conv_inl.h, whose tiles and ends they share.
//
// A lane holds two neighbouring channels of one output's weights, and each lane of an activation the same two of its
// row: one instruction multiplies both and adds them to an f32 sum, where the CPU has it. Its table says so:
//   struct SomePairs {
//     static F add(F acc, I w, I x);  // acc[i] += low(w[i]) * low(x[i]) + high(w[i]) * high(x[i])
//     static H round(F v);            // to the nearest bf16 value, ties to even
//   };
// Products of two bf16 values are exact in f32, so the ways differ by the rounding of sums only.

typedef uint32_t U __attribute__((vector_size(kWidth * 4)));
typedef uint16_t H __attribute__((vector_size(kWidth * 2)));

// For CPUs without such instructions.
struct WidenedPairs {
  static F low(I pair) { return as_float<I, F>(pair << 16); }
  static F high(I pair) { return as_float<I, F>(pair & -65536); }
  static F add(F acc, I w, I x) {
    acc += high(w) * high(x);
    return acc + low(w) * low(x);
  }
  static H round(F v) {
    const U bits = reinterpret_cast<U>(v);
    const U nearest = (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U;
    const U quiet_nan = bits >> 16U | 0x40U;
    return __builtin_convertvector(v == v ? nearest : quiet_nan, H);
  }
};

template <class Pairs>
inline void round_row(const float* x, int count, uint16_t* y) {
  for_each_vector(count, [&](int i, int n) {
    const H rounded = Pairs::round(load_some(x + i, n));
    std::memcpy(y + i, &rounded, static_cast<size_t>(n) * sizeof(uint16_t));
  });
  if (count % 2 == 1) y[count] = 0;
}

inline I splat_pair(const uint16_t* pair) {
  int32_t bits = 0;
  std::memcpy(&bits, pair, 4);
  return I{} + bits;
}

// As conv_tile().
template <class Pairs, int ROWS>
inline void pair_tile(const uint16_t* x, int64_t x_stride, const std::byte* w, const ConvShape& shape, float* sums) {
  F acc[ROWS][kPanelVectors] = {};
  for (int tap = 0; tap < shape.taps; ++tap) {
    const uint16_t* row = x + int64_t{tap} * shape.dilation * x_stride;
    for (int channel = 0; channel < shape.in_channels; channel += 2) {
      I weights[kPanelVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v, w += sizeof(I)) weights[v] = load<I>(w);
#pragma GCC unroll 8
      for (int r = 0; r < ROWS; ++r) {
        const I pair = splat_pair(row + r * x_stride + channel);
#pragma GCC unroll 4
        for (int v = 0; v < kPanelVectors; ++v) acc[r][v] = Pairs::add(acc[r][v], weights[v], pair);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) store(sums + (r * kPanelVectors + v) * kWidth, acc[r][v]);
  }
}

template <class Pairs, int ROWS = kTileRows>
inline void pair_tile_of(int num_rows, const uint16_t* x, int64_t x_stride, const std::byte* w, const ConvShape& shape,
                         float* sums) {
  if (num_rows == ROWS) return pair_tile<Pairs, ROWS>(x, x_stride, w, shape, sums);
  if constexpr (ROWS > 1) pair_tile_of<Pairs, ROWS - 1>(num_rows, x, x_stride, w, shape, sums);
}

template <class Pairs>
inline void conv_pairs(const uint16_t* x, int64_t x_stride, const std::byte* weights, const float* bias,
                       const ConvShape& shape, const ConvRange& range, const ConvOutput& out) {
  alignas(64) float sums[kTileRows * kPanelColumns];
  const size_t panel_bytes =
      static_cast<size_t>(kPanelColumns * shape.taps) * static_cast<size_t>(num_pairs(shape.in_channels)) * 4;
  for (int panel = range.panel_begin; panel < range.panel_end; ++panel) {
    const int first = panel * kPanelColumns;
    const int columns = shape.out_channels - first < kPanelColumns ? shape.out_channels - first : kPanelColumns;
    const std::byte* w = weights + static_cast<size_t>(panel) * panel_bytes;
    for (int row = range.row_begin; row < range.row_end; row += kTileRows) {
      const int num_rows = range.row_end - row < kTileRows ? range.row_end - row : kTileRows;
      pair_tile_of<Pairs>(num_rows, x + row * x_stride, x_stride, w, shape, sums);
      finish_tile(sums, row, num_rows, first, columns, bias, out);
    }
  }
}

// The table with the CPU's own instructions for pairs.
template <class Pairs>
constexpr Kernels with_bf16_dots(Kernels table) {
  table.round_row = round_row<Pairs>;
  table.conv_pairs = conv_pairs<Pairs>;
  table.has_bf16_dots = true;
  return table;
}
