// Speed of each kernel table on the shapes of the 0.6B model. One thread; weights that fit no cache for the products,
// as in real use. Reports GFLOP/s (a multiply-add is two) and, for the products, bytes of weights read.
#include <benchmark/benchmark.h>

#include <cmath>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/tile_conv.h"

namespace kazeia {
namespace {

std::vector<float> waves(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
  return values;
}

// Convolutions of the wave decoder's blocks: channels, dilation, rows of one frame.
void conv(benchmark::State& state, const Kernels* k, ConvType type) {
  const auto channels = static_cast<int>(state.range(0));
  const ConvShape shape{
      .in_channels = channels, .out_channels = channels, .taps = 7, .dilation = static_cast<int>(state.range(1))};
  const auto num_rows = static_cast<int>(state.range(2));
  const size_t num_weights = static_cast<size_t>(7 * channels) * static_cast<size_t>(channels);
  const std::vector<std::byte> w(num_weights * conv_value_bytes(type));
  std::vector<std::byte> packed(packed_conv_bytes(type, shape, k->panel_columns));
  pack_conv(w.data(), type, shape, k->panel_columns, packed.data());
  const auto x = waves(static_cast<size_t>(num_rows + 6 * shape.dilation) * static_cast<size_t>(channels));
  std::vector<float> y(static_cast<size_t>(num_rows * channels));
  const ConvRange all{0, num_rows, 0, num_panels(channels, k->panel_columns)};
  for (auto _ : state)
    k->conv(x.data(), channels, {packed.data(), type, nullptr}, shape, all, {.y = y.data(), .stride = channels});
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * static_cast<double>(num_weights) * num_rows,
                                                benchmark::Counter::kIsIterationInvariantRate);
}

// The same in pairs of bf16.
void conv_pairs(benchmark::State& state, const Kernels* k) {
  const auto channels = static_cast<int>(state.range(0));
  const ConvShape shape{
      .in_channels = channels, .out_channels = channels, .taps = 7, .dilation = static_cast<int>(state.range(1))};
  const auto num_rows = static_cast<int>(state.range(2));
  const std::vector<std::byte> packed(packed_pairs_bytes(shape, k->panel_columns));
  const auto x = waves(static_cast<size_t>(num_rows + 6 * shape.dilation) * static_cast<size_t>(channels));
  std::vector<uint16_t> rounded(x.size());
  k->round_row(x.data(), static_cast<int>(x.size()), rounded.data());
  std::vector<float> y(static_cast<size_t>(num_rows * channels));
  const ConvRange all{0, num_rows, 0, num_panels(channels, k->panel_columns)};
  for (auto _ : state)
    k->conv_pairs(rounded.data(), channels, packed.data(), nullptr, shape, all, {.y = y.data(), .stride = channels});
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * 7 * channels * channels * num_rows, benchmark::Counter::kIsIterationInvariantRate);
}

// The same by tiles, in f32. FLOP/s are those of the plain sums, to compare with.
void tile_conv(benchmark::State& state, const Kernels* k) {
  const auto channels = static_cast<int>(state.range(0));
  const ConvShape shape{.in_channels = channels, .out_channels = channels, .taps = Winograd::kTaps};
  const WinogradTiles tiles{static_cast<int>(state.range(1)), static_cast<int>(state.range(2))};
  const std::vector<std::byte> filters(filter_values_bytes(shape, k->panel_columns));
  const auto x = waves(static_cast<size_t>(tiles.span_rows + 6 * tiles.dilation) * static_cast<size_t>(channels));
  std::vector<float> y(static_cast<size_t>(tiles.span_rows * channels));
  const ConvRange all{0, tiles.span_rows, 0, num_panels(channels, k->panel_columns)};
  TileSpace space;
  for (auto _ : state)
    conv_by_tiles(*k, x.data(), filters.data(), nullptr, shape, tiles, all, {.y = y.data(), .stride = channels}, space);
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * Winograd::kTaps * channels * channels * tiles.span_rows,
                                                benchmark::Counter::kIsIterationInvariantRate);
}

// gate_proj of the talker, [3072, 1024], eight of them in turn; range: activation rows (a frame has one, a prompt
// many).
void matmul(benchmark::State& state, const Kernels* k, bool four_bits) {
  constexpr int kRows = 3072, kBlocks = 1024 / kGroup, kMatrices = 8;
  const auto batch = static_cast<int>(state.range(0));
  const size_t num_bytes = four_bits ? packed_q4_bytes(kRows, kBlocks) : packed_q8_bytes(kRows, kBlocks);
  const std::vector<std::byte> weights(num_bytes * kMatrices);
  const auto x = waves(static_cast<size_t>(batch) * kBlocks * kGroup);
  std::vector<int8_t> q(x.size());
  std::vector<float> scale(x.size() / kGroup), y(static_cast<size_t>(batch) * kRows);
  std::vector<int32_t> sum(scale.size());
  k->quantize(x.data(), static_cast<int>(x.size()), q.data(), scale.data(), sum.data());
  const QuantRow first{q.data(), scale.data(), sum.data()};
  size_t matrix = 0;
  for (auto _ : state) {
    const std::byte* packed = weights.data() + matrix++ % kMatrices * num_bytes;
    (four_bits ? k->matmul_q4 : k->matmul_q8)(packed, first, batch, kBlocks, y.data(), kRows, 0, kRows / kPackedRows);
  }
  state.SetBytesProcessed(static_cast<int64_t>(num_bytes) * state.iterations());
  state.counters["FLOP/s"] =
      benchmark::Counter(2.0 * kRows * kBlocks * kGroup * batch, benchmark::Counter::kIsIterationInvariantRate);
}

// One frame of the last wave block.
void snake(benchmark::State& state, const Kernels* k) {
  constexpr int kChannels = 96, kRows = 1920;
  const auto x = waves(kChannels * kRows), alpha = waves(kChannels), inv_beta = waves(kChannels);
  std::vector<float> y(x.size());
  for (auto _ : state) k->snake(x.data(), alpha.data(), inv_beta.data(), y.data(), kChannels, kRows);
  state.SetItemsProcessed(state.iterations() * kChannels * kRows);
}

void register_table(const Kernels* k) {
  const std::string isa = std::string("/") + k->isa;
  const auto register_sizes = [](benchmark::internal::Benchmark* bench) {
    bench->Args({768, 1, 32})->Args({384, 3, 160})->Args({192, 9, 640})->Args({96, 1, 1920})->Args({96, 9, 1920});
  };
  for (const auto& [name, type] : {std::pair("conv_f32", ConvType::f32), std::pair("conv_f16", ConvType::f16)})
    register_sizes(benchmark::RegisterBenchmark((name + isa).c_str(), conv, k, type));
  register_sizes(benchmark::RegisterBenchmark(("conv_pairs" + isa).c_str(), conv_pairs, k));
  register_sizes(benchmark::RegisterBenchmark(("tile_conv" + isa).c_str(), tile_conv, k));
  for (const bool four_bits : {false, true}) {
    const std::string name = (four_bits ? "matmul_q4" : "matmul_q8") + isa;
    benchmark::RegisterBenchmark(name.c_str(), matmul, k, four_bits)->Arg(1)->Arg(2)->Arg(4)->Arg(25);
  }
  benchmark::RegisterBenchmark(("snake" + isa).c_str(), snake, k);
}

}  // namespace
}  // namespace kazeia

int main(int argc, char** argv) {
  for (const kazeia::Kernels* table : kazeia::usable_kernels()) kazeia::register_table(table);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
