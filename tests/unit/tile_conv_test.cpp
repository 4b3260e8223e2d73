// Convolutions by tiles on every table of kernels, against the plain sum over taps and channels.
// links: kazeia_kernels
#include "kernels/tile_conv.h"

#include <gtest/gtest.h>

#include "kernels/pack.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

constexpr int kTaps = Winograd::kTaps;

// Random inputs for num_spans spans of rows, weights and a bias.
struct Layer {
  Layer(int channels, int outputs, const WinogradTiles& layout, int num_spans)
      : shape{channels, outputs, kTaps, layout.dilation}, tiles(layout), num_rows(num_spans * layout.span_rows) {
    std::mt19937 random(1);
    x = test::random_values((num_rows + (kTaps - 1) * tiles.dilation) * channels, 1.0F, random);
    w = test::random_values(kTaps * outputs * channels, 1.0F, random);
    bias = test::random_values(outputs, 1.0F, random);
  }

  size_t num_outputs() const { return static_cast<size_t>(num_rows * shape.out_channels); }
  ConvOutput output(std::vector<float>& y) const {
    return {.y = y.data(), .residual = y.data(), .stride = shape.out_channels};
  }

  ConvShape shape;
  WinogradTiles tiles;
  int num_rows;
  std::vector<float> x, w, bias;
};

// What is added to.
constexpr float kResidual = 0.5F;

std::vector<float> plain_sums(const Layer& layer) {
  const Kernels& k = scalar_kernels;
  std::vector<std::byte> packed(packed_conv_bytes(ConvType::f32, layer.shape, k.panel_columns));
  pack_conv(std::as_bytes(std::span(layer.w)).data(), ConvType::f32, layer.shape, k.panel_columns, packed.data());
  std::vector<float> y(layer.num_outputs(), kResidual);
  k.conv(layer.x.data(), layer.shape.in_channels, {packed.data(), ConvType::f32, layer.bias.data()}, layer.shape,
         {0, layer.num_rows, 0, num_panels(layer.shape.out_channels, k.panel_columns)}, layer.output(y));
  return y;
}

// Rows before and behind the beginning of a group, and half of the panels, one after the other.
std::vector<float> by_tiles(const Kernels& k, const Layer& layer, int middle_group) {
  std::vector<std::byte> packed(filter_values_bytes(layer.shape, k.panel_columns));
  pack_filter_values(layer.w, layer.shape, k.panel_columns, packed.data());
  std::vector<float> y(layer.num_outputs(), kResidual);
  const int middle_row = layer.tiles.row_of_group(middle_group);
  const int panels = num_panels(layer.shape.out_channels, k.panel_columns);
  TileSpace space;
  for (const auto& [row_begin, row_end] : {std::pair(0, middle_row), std::pair(middle_row, layer.num_rows)})
    for (const auto& [panel_begin, panel_end] : {std::pair(0, panels / 2), std::pair(panels / 2, panels)})
      conv_by_tiles(k, layer.x.data(), packed.data(), layer.bias.data(), layer.shape, layer.tiles,
                    {row_begin, row_end, panel_begin, panel_end}, layer.output(y), space);
  return y;
}

std::string where(const Kernels& k, const Layer& layer) {
  return std::string(k.isa) + ", channels " + std::to_string(layer.shape.in_channels) + ", dilation " +
         std::to_string(layer.tiles.dilation) + ", spans of " + std::to_string(layer.tiles.span_rows);
}

// Spans of whole groups of tiles, with a rest, shorter than a group; more tiles than one block.
const Layer kLayers[] = {{1, 1, {1, 4}, 1},   {24, 25, {1, 10}, 3}, {37, 16, {3, 24}, 2},
                         {96, 9, {9, 80}, 2}, {5, 40, {9, 2}, 7},   {8, 50, {1, 250}, 2}};

TEST(TileConv, IsTheSumOverTapsAndChannels) {
  for (const Kernels* k : usable_kernels()) {
    for (const Layer& layer : kLayers) {
      SCOPED_TRACE(where(*k, layer));
      const auto expected = plain_sums(layer), y = by_tiles(*k, layer, /*middle_group=*/0);
      // 7e-6 of sums near 9, six standard deviations.
      for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 4e-4) << i;
    }
  }
}

TEST(TileConv, TheSplitOverGroupsOfTilesAndPanelsChangesNoBit) {
  for (const Kernels* k : usable_kernels()) {
    for (const Layer& layer : kLayers)
      EXPECT_EQ(by_tiles(*k, layer, /*middle_group=*/1), by_tiles(*k, layer, 0)) << where(*k, layer);
  }
}

TEST(TileConv, WhereASignalIsCutBetweenSpansChangesNoBit) {
  const Layer whole(19, 21, {3, 10}, /*num_spans=*/4);
  for (const Kernels* k : usable_kernels()) {
    std::vector<float> parts;
    for (int row = 0; row < whole.num_rows; row += whole.tiles.span_rows) {
      Layer span(19, 21, whole.tiles, /*num_spans=*/1);
      span.w = whole.w;
      span.bias = whole.bias;
      const auto begin = whole.x.begin() + row * 19;  // and nothing of the next span
      span.x.assign(begin, begin + static_cast<std::ptrdiff_t>(span.x.size()));
      const auto y = by_tiles(*k, span, 0);
      parts.insert(parts.end(), y.begin(), y.end());
    }
    EXPECT_EQ(parts, by_tiles(*k, whole, 0)) << k->isa;
  }
}

}  // namespace
}  // namespace kazeia
