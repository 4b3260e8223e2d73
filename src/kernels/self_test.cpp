#include "kernels/self_test.h"

#include <cmath>
#include <vector>

#include "kernels/pack.h"
#include "kernels/tile_conv.h"

namespace kazeia {
namespace {

// Sizes with whole vectors and a rest in every table.
constexpr int kRows = 11;
constexpr int kChannels = 37;
constexpr int kOutputs = 53;
constexpr int kTaps = 3;
constexpr int kDepth = 9 * kGroup;

// Values in [-1, 1) without a library of random numbers: the same on every machine.
std::vector<float> test_values(int count, uint32_t seed) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(seed >> 8U) * 0x1p-23F - 1.0F);
  }
  return values;
}

std::vector<float> run_conv(const Kernels& k) {
  const ConvShape shape{.in_channels = kChannels, .out_channels = kOutputs, .taps = kTaps, .dilation = 2};
  const auto x = test_values((kRows + (kTaps - 1) * 2) * kChannels, 1);
  const auto w = test_values(kTaps * kOutputs * kChannels, 2);
  std::vector<std::byte> packed(packed_conv_bytes(ConvType::f32, shape, k.panel_columns));
  pack_conv(reinterpret_cast<const std::byte*>(w.data()), ConvType::f32, shape, k.panel_columns, packed.data());
  std::vector<float> y(kRows * kOutputs);
  k.conv(x.data(), kChannels, {packed.data(), ConvType::f32, nullptr}, shape,
         {0, kRows, 0, num_panels(kOutputs, k.panel_columns)}, {.y = y.data(), .stride = kOutputs});
  return y;
}

// Two spans, neither of whole groups of tiles.
std::vector<float> run_tiles(const Kernels& k) {
  const WinogradTiles tiles{.dilation = 2, .span_rows = kRows};
  const ConvShape shape{.in_channels = kChannels, .out_channels = kOutputs, .taps = Winograd::kTaps};
  const auto x = test_values((2 * kRows + (Winograd::kTaps - 1) * tiles.dilation) * kChannels, 1);
  const auto w = test_values(Winograd::kTaps * kOutputs * kChannels, 2);
  std::vector<std::byte> packed(filter_values_bytes(shape, k.panel_columns));
  pack_filter_values(w, shape, k.panel_columns, packed.data());
  std::vector<float> y(2 * kRows * kOutputs);
  TileSpace space;
  conv_by_tiles(k, x.data(), packed.data(), nullptr, shape, tiles,
                {0, 2 * kRows, 0, num_panels(kOutputs, k.panel_columns)}, {.y = y.data(), .stride = kOutputs}, space);
  return y;
}

std::vector<float> run_pairs(const Kernels& k) {
  const ConvShape shape{.in_channels = kChannels, .out_channels = kOutputs, .taps = kTaps, .dilation = 2};
  constexpr int kInputRows = kRows + (kTaps - 1) * 2;
  constexpr int kStride = kChannels + 1;
  const auto x = test_values(kInputRows * kChannels, 1);
  const auto w = test_values(kTaps * kOutputs * kChannels, 2);
  std::vector<uint16_t> rounded(kInputRows * kStride), tap_weights(kOutputs * kStride);
  for (int row = 0; row < kInputRows; ++row)
    k.round_row(x.data() + row * kChannels, kChannels, rounded.data() + row * kStride);
  std::vector<std::byte> packed(packed_pairs_bytes(shape, k.panel_columns));
  for (int tap = 0; tap < kTaps; ++tap) {
    for (int out = 0; out < kOutputs; ++out)
      k.round_row(w.data() + (tap * kOutputs + out) * kChannels, kChannels, tap_weights.data() + out * kStride);
    pack_pairs(tap_weights.data(), tap, shape, k.panel_columns, packed.data());
  }
  std::vector<float> y(kRows * kOutputs);
  k.conv_pairs(rounded.data(), kStride, packed.data(), nullptr, shape,
               {0, kRows, 0, num_panels(kOutputs, k.panel_columns)}, {.y = y.data(), .stride = kOutputs});
  return y;
}

// kRows activation rows, and two and one of them alone, times 96 matrix rows; block bytes are arbitrary, scales are 1.
std::vector<float> run_matmul(const Kernels& k, bool four_bits) {
  constexpr int kBlocks = kDepth / kGroup;
  constexpr int kGroups = 6, kMatrixRows = kGroups * kPackedRows;
  const size_t value_bytes = four_bits ? kGroup / 2 : kGroup;
  std::vector<std::byte> blocks;
  for (int i = 0; i < kMatrixRows * kBlocks; ++i) {
    blocks.push_back(std::byte{0x00});
    blocks.push_back(std::byte{0x3C});  // 1.0 in f16
    for (size_t j = 0; j < value_bytes; ++j) blocks.push_back(static_cast<std::byte>(i * 31 + static_cast<int>(j) * 7));
  }
  std::vector<std::byte> packed(four_bits ? packed_q4_bytes(kMatrixRows, kBlocks)
                                          : packed_q8_bytes(kMatrixRows, kBlocks));
  (four_bits ? pack_q4 : pack_q8)(blocks.data(), kMatrixRows, kBlocks, packed.data());

  const auto x = test_values(kRows * kDepth, 3);
  std::vector<int8_t> q(x.size());
  std::vector<float> scale(x.size() / kGroup), y((kRows + 3) * kMatrixRows);
  std::vector<int32_t> sum(scale.size());
  k.quantize(x.data(), kRows * kDepth, q.data(), scale.data(), sum.data());
  const QuantRow first{q.data(), scale.data(), sum.data()};
  float* to = y.data();
  for (const int num_rows : {kRows, 2, 1}) {
    (four_bits ? k.matmul_q4 : k.matmul_q8)(packed.data(), first, num_rows, kBlocks, to, kMatrixRows, 0, kGroups);
    to += num_rows * kMatrixRows;
  }
  return y;
}

std::vector<float> run_q8(const Kernels& k) { return run_matmul(k, /*four_bits=*/false); }
std::vector<float> run_q4(const Kernels& k) { return run_matmul(k, /*four_bits=*/true); }

std::vector<float> run_snake(const Kernels& k) {
  const auto x = test_values(kRows * kChannels, 4), alpha = test_values(kChannels, 5),
             inv_beta = test_values(kChannels, 6);
  std::vector<float> y(x.size());
  k.snake(x.data(), alpha.data(), inv_beta.data(), y.data(), kChannels, kRows);
  return y;
}

std::vector<float> run_attention(const Kernels& k) {
  const auto query = test_values(kChannels, 9), keys = test_values(kChannels * kOutputs, 10);
  std::vector<float> scores(kOutputs), sums(kChannels);
  k.dot_rows(query.data(), keys.data(), kChannels, kOutputs, scores.data());
  k.add_rows(keys.data(), scores.data(), kChannels, kOutputs, sums.data());
  scores.insert(scores.end(), sums.begin(), sums.end());
  return scores;
}

std::vector<float> run_elementwise(const Kernels& k) {
  const auto a = test_values(kOutputs, 7), b = test_values(kOutputs, 8);
  std::vector<float> gated(kOutputs), bent(kOutputs), exps = a, sums = b;
  k.swiglu(a.data(), b.data(), gated.data(), kOutputs);
  k.gelu(a.data(), bent.data(), kOutputs);
  k.add_scaled(a.data(), 0.5F, sums.data(), kOutputs);
  std::vector<float> all = {k.softmax_exp(exps.data(), kOutputs), k.dot(a.data(), b.data(), kOutputs)};
  for (const auto* part : {&gated, &bent, &exps, &sums}) all.insert(all.end(), part->begin(), part->end());
  return all;
}

// Of the largest value: sums of some hundred products in another order.
constexpr float kTolerance = 1e-5F;
// Tiles cancel a part of what they add up (winograd.h).
constexpr float kTileTolerance = 1e-4F;

struct Check {
  const char* name;
  std::vector<float> (*run)(const Kernels&);
  float tolerance = kTolerance;
};

constexpr Check kChecks[] = {{"conv", run_conv},           {"winograd", run_tiles, kTileTolerance},
                             {"conv_pairs", run_pairs},    {"matmul_q8", run_q8},
                             {"matmul_q4", run_q4},        {"snake", run_snake},
                             {"attention", run_attention}, {"elementwise", run_elementwise}};

}  // namespace

std::string find_kernel_fault(const Kernels& table) {
  for (const Check& check : kChecks) {
    const std::vector<float> found = check.run(table);
    const std::vector<float> expected = check.run(scalar_kernels);
    float largest = 0.0F;
    float error = 0.0F;
    for (size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::fabs(expected[i]));
      const float distance = std::fabs(found[i] - expected[i]);
      if (!std::isnan(error) && !(distance <= error)) error = distance;  // a NaN stays
    }
    if (!(error <= check.tolerance * largest)) {
      return std::string(check.name) + ": expected what the scalar kernel computes, found " + std::to_string(error) +
             " away of " + std::to_string(largest);
    }
  }
  return {};
}

}  // namespace kazeia
