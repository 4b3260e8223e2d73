// Whole convolutions by Winograd tiles (winograd.h) on any table of kernels.
#pragma once
#include <span>
#include <vector>

#include "kernels/kernels.h"

namespace kazeia {

// Tiles on their way at once. Their values and products stay in the caches, and each of the matrices is read once for
// all of them. The kernels compute 6 or 8 rows of a product together, and groups have 1, 3 or 9 tiles.
inline constexpr int kTileBlock = 36;

// w: [7, N, C] -> the filters' values at the points, kProducts matrices as pack_conv() leaves them.
void pack_filter_values(std::span<const float> w, const ConvShape& shape, int columns, std::byte* packed);
size_t filter_values_bytes(const ConvShape& shape, int columns);

// What tiles on their way need, for one thread at a time. Grows to the largest convolution that it has seen.
struct TileSpace {
  std::vector<float> values, products;
};

// As Kernels::conv over contiguous rows x, in f32. range: rows of whole groups of tiles; how the rows are cut into such
// ranges, and a signal between spans, changes no bit.
void conv_by_tiles(const Kernels& kernels, const float* x, const std::byte* filter_values, const float* bias,
                   const ConvShape& shape, const WinogradTiles& tiles, const ConvRange& range, const ConvOutput& out,
                   TileSpace& space);

}  // namespace kazeia
