// The two transforms of winograd.h; included by kernels_inl.h.

// The product of (x^2 - a^2) over all points a but kPoints[left_out], as coefficients of x^0, x^2, ...
constexpr std::array<float, Winograd::kPairs + 1> even_polynomial(int left_out) {
  std::array<double, Winograd::kPairs + 1> at = {1.0};
  for (int i = 0; i < Winograd::kPairs; ++i) {
    if (i == left_out) continue;
    const double square = Winograd::kPoints[i] * Winograd::kPoints[i];
    for (int k = Winograd::kPairs; k >= 0; --k) at[k] = (k > 0 ? at[k - 1] : 0.0) - square * at[k];
  }
  std::array<float, Winograd::kPairs + 1> rounded{};
  for (int k = 0; k <= Winograd::kPairs; ++k) rounded[k] = static_cast<float>(at[k]);
  return rounded;
}

// Every second input, weighted.
template <int LEFT_OUT>
inline F weigh_inputs(const F* x) {
  constexpr auto kFactors = even_polynomial(LEFT_OUT);
  constexpr int kTerms = LEFT_OUT < Winograd::kPairs ? Winograd::kPairs : Winograd::kPairs + 1;
  F sum = x[0] * kFactors[0];
#pragma GCC unroll 8
  for (int k = 1; k < kTerms; ++k) sum += x[2 * k] * kFactors[k];
  return sum;
}

// A tile's inputs at one vector of channels -> their values at the points, `plane` floats apart.
inline void store_input_values(const F* x, float* v, int64_t plane, int count) {
  const auto store_pair = [&]<int I>() {
    const F even = weigh_inputs<I>(x + 2);
    const F odd = weigh_inputs<I>(x + 1) * static_cast<float>(Winograd::kPoints[I]);
    store_some(v + 2 * I * plane, even + odd, count);
    store_some(v + (2 * I + 1) * plane, even - odd, count);
  };
  const auto store_pairs = [&]<int... I>(std::integer_sequence<int, I...>) {
    (store_pair.template operator()<I>(), ...);
  };
  store_pairs(std::make_integer_sequence<int, Winograd::kPairs>());
  v += 2 * Winograd::kPairs * plane;
  store_some(v, weigh_inputs<Winograd::kPairs>(x), count);
  store_some(v + plane, weigh_inputs<Winograd::kPairs>(x + 1), count);
}

inline void winograd_inputs(const float* x, int channels, const WinogradTiles& tiles, const TileRange& range,
                            float* v) {
  const int64_t plane = int64_t{range.count} * channels;
  for (int tile = range.begin; tile < range.begin + range.count; ++tile, v += channels) {
    const auto rows = tiles.rows_of_tile(tile);
    const int num_inputs = rows.inputs_end(tiles.dilation);
    for_each_vector(channels, [&](int c, int count) {
      F in[Winograd::kProducts];
#pragma GCC unroll 16
      for (int j = 0; j < Winograd::kProducts; ++j) {
        const int row = rows.first + j * tiles.dilation;
        in[j] = row < num_inputs ? load_some(x + int64_t{row} * channels + c, count) : F{};
      }
      store_input_values(in, v + c, plane, count);
    });
  }
}

// Products at the points, `plane` floats apart -> a tile's outputs.
inline void load_outputs(const float* m, int64_t plane, int count, F (&y)[Winograd::kOutputs]) {
  constexpr int kPairs = Winograd::kPairs, kOutputs = Winograd::kOutputs;
#pragma GCC unroll 8
  for (int j = 0; j < kOutputs; ++j) y[j] = F{};
  y[0] = load_some(m + 2 * kPairs * plane, count);
  y[kOutputs - 1] = load_some(m + (2 * kPairs + 1) * plane, count);
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p, m += 2 * plane) {
    const F plus = load_some(m, count), minus = load_some(m + plane, count);
    F even = plus + minus, odd = (plus - minus) * static_cast<float>(Winograd::kPoints[p]);
    const auto square = static_cast<float>(Winograd::kPoints[p] * Winograd::kPoints[p]);
#pragma GCC unroll 8
    for (int j = 0; j < kOutputs; j += 2, even *= square, odd *= square) {
      y[j] += even;
      y[j + 1] += odd;
    }
  }
}

inline void winograd_outputs(const float* m, int channels, const WinogradTiles& tiles, const TileRange& range,
                             int column_begin, int column_end, const float* bias, const ConvOutput& out) {
  const int64_t plane = int64_t{range.count} * channels;
  for (int tile = range.begin; tile < range.begin + range.count; ++tile, m += channels) {
    const auto rows = tiles.rows_of_tile(tile);
    for_each_vector(column_end - column_begin, [&](int i, int count) {
      const int column = column_begin + i;
      F y[Winograd::kOutputs];
      load_outputs(m + column, plane, count, y);
#pragma GCC unroll 8
      for (int j = 0; j < Winograd::kOutputs; ++j) {
        const int row = rows.first + j * tiles.dilation;
        if (row < rows.end) finish_outputs(y[j], row, column, count, bias, out);
      }
    });
  }
}
