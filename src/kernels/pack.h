// Weights in the order in which the kernels read them. Packing happens once, at load.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.h"

namespace kazeia {

// w: [taps, N, C] of any type -> [panels, taps, C, columns], the last panel filled up with zeros.
void pack_conv(const std::byte* w, ConvType type, const ConvShape& shape, int columns, std::byte* packed);
size_t packed_conv_bytes(ConvType type, const ConvShape& shape, int columns);
// One tap of bf16 weights, w: [N, C], or [N, C + 1] where C is odd, the last of a row zero -> its place in [panels,
// taps, pairs of channels, columns] of pairs.
void pack_pairs(const uint16_t* w, int tap, const ConvShape& shape, int columns, std::byte* packed);
size_t packed_pairs_bytes(const ConvShape& shape, int columns);
inline int num_pairs(int in_channels) { return (in_channels + 1) / 2; }
inline int num_panels(int out_channels, int columns) { return (out_channels + columns - 1) / columns; }

// Bytes of one packed block: 16 rows x 32 columns, then the rows' 16 f16 scales.
inline constexpr size_t kPackedQ8Block = kPackedRows * kGroup + kPackedRows * 2;
inline constexpr size_t kPackedQ4Block = kPackedRows * kGroup / 2 + kPackedRows * 2;

// blocks: ggml's q8_0 or q4_0 rows [N, K / 32 blocks]; N a multiple of 16. Packed: for each 16 rows and each block,
// quads of 4 columns of row 0, row 1, ... row 15. q8: bytes are q + 128; q4: the low nibbles of a byte quad are an even
// quad of columns, the high ones the odd quad after it.
void pack_q8(const std::byte* blocks, int num_rows, int num_blocks, std::byte* packed);
void pack_q4(const std::byte* blocks, int num_rows, int num_blocks, std::byte* packed);
inline size_t packed_q8_bytes(int num_rows, int num_blocks) {
  return static_cast<size_t>(num_rows / kPackedRows) * static_cast<size_t>(num_blocks) * kPackedQ8Block;
}
inline size_t packed_q4_bytes(int num_rows, int num_blocks) {
  return static_cast<size_t>(num_rows / kPackedRows) * static_cast<size_t>(num_blocks) * kPackedQ4Block;
}

}  // namespace kazeia
