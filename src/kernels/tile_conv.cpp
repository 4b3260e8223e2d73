#include "kernels/tile_conv.h"

#include <algorithm>

#include "kernels/pack.h"

namespace kazeia {
namespace {

// One of the products, a plain matrix.
ConvShape product_shape(const ConvShape& shape) {
  return {.in_channels = shape.in_channels, .out_channels = shape.out_channels};
}

size_t matrix_bytes(const ConvShape& shape, int columns) {
  return packed_conv_bytes(ConvType::f32, product_shape(shape), columns);
}

float* at_least(std::vector<float>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}

}  // namespace

size_t filter_values_bytes(const ConvShape& shape, int columns) {
  return Winograd::kProducts * matrix_bytes(shape, columns);
}

void pack_filter_values(std::span<const float> w, const ConvShape& shape, int columns, std::byte* packed) {
  std::vector<float> values(w.size() / Winograd::kTaps);
  for (int i = 0; i < Winograd::kProducts; ++i, packed += matrix_bytes(shape, columns)) {
    Winograd::filter_values(w, i, values);
    pack_conv(std::as_bytes(std::span(values)).data(), ConvType::f32, product_shape(shape), columns, packed);
  }
}

void conv_by_tiles(const Kernels& kernels, const float* x, const std::byte* filter_values, const float* bias,
                   const ConvShape& shape, const WinogradTiles& tiles, const ConvRange& range, const ConvOutput& out,
                   TileSpace& space) {
  const size_t matrix = matrix_bytes(shape, kernels.panel_columns);
  const int column_begin = range.panel_begin * kernels.panel_columns;
  const int column_end = std::min(shape.out_channels, range.panel_end * kernels.panel_columns);
  const int tile_end = tiles.group_of_row(range.row_end) * tiles.dilation;
  for (int tile = tiles.group_of_row(range.row_begin) * tiles.dilation; tile < tile_end; tile += kTileBlock) {
    const TileRange block{tile, std::min(kTileBlock, tile_end - tile)};
    const auto values_plane = static_cast<size_t>(block.count) * static_cast<size_t>(shape.in_channels);
    const auto products_plane = static_cast<size_t>(block.count) * static_cast<size_t>(shape.out_channels);
    float* values = at_least(space.values, values_plane * Winograd::kProducts);
    float* products = at_least(space.products, products_plane * Winograd::kProducts);
    kernels.winograd_inputs(x, shape.in_channels, tiles, block, values);
    for (size_t i = 0; i < Winograd::kProducts; ++i) {
      kernels.conv(values + values_plane * i, shape.in_channels, {filter_values + matrix * i, ConvType::f32, nullptr},
                   product_shape(shape), {0, block.count, range.panel_begin, range.panel_end},
                   {.y = products + products_plane * i, .stride = shape.out_channels});
    }
    kernels.winograd_outputs(products, shape.out_channels, tiles, block, column_begin, column_end, bias, out);
  }
}

}  // namespace kazeia
