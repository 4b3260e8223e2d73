#include "kernels/pack.h"

#include <algorithm>
#include <cstring>

namespace kazeia {
namespace {

constexpr size_t kScaleBytes = 2;  // ggml puts one f16 before the values of a block
constexpr size_t kQuads = kGroup / 4;

// Value `column` of a q4_0 block: ggml keeps columns 0..15 in the low nibbles and 16..31 in the high ones.
uint8_t q4_nibble(const std::byte* block, int column) {
  const auto byte = static_cast<uint8_t>(block[kScaleBytes + static_cast<size_t>(column % 16)]);
  return column < 16 ? byte & 15U : static_cast<uint8_t>(byte >> 4U);
}

}  // namespace

size_t packed_conv_floats(const ConvShape& shape, int columns) {
  return static_cast<size_t>(num_panels(shape.out_channels, columns)) * static_cast<size_t>(columns) *
         static_cast<size_t>(shape.taps) * static_cast<size_t>(shape.in_channels);
}

void pack_conv(const float* w, const ConvShape& shape, int columns, float* packed) {
  for (int panel = 0; panel < num_panels(shape.out_channels, columns); ++panel) {
    for (int tap = 0; tap < shape.taps; ++tap) {
      const float* tap_weights = w + int64_t{tap} * shape.out_channels * shape.in_channels;
      for (int column = 0; column < columns; ++column) {
        const int out = panel * columns + column;
        for (int c = 0; c < shape.in_channels; ++c) {
          packed[int64_t{c} * columns + column] =
              out < shape.out_channels ? tap_weights[int64_t{out} * shape.in_channels + c] : 0.0F;
        }
      }
      packed += int64_t{shape.in_channels} * columns;
    }
  }
}

void pack_q8(const std::byte* blocks, int num_rows, int num_blocks, std::byte* packed) {
  constexpr size_t kBlock = kScaleBytes + kGroup;
  const size_t row_bytes = kBlock * static_cast<size_t>(num_blocks);
  for (int first = 0; first < num_rows; first += kPackedRows) {
    for (int b = 0; b < num_blocks; ++b, packed += kPackedQ8Block) {
      for (size_t row = 0; row < kPackedRows; ++row) {
        const std::byte* block =
            blocks + (static_cast<size_t>(first) + row) * row_bytes + static_cast<size_t>(b) * kBlock;
        for (size_t quad = 0; quad < kQuads; ++quad)
          for (size_t i = 0; i < 4; ++i)
            packed[(quad * kPackedRows + row) * 4 + i] = block[kScaleBytes + quad * 4 + i] ^ std::byte{0x80};
        std::memcpy(packed + kPackedRows * kGroup + row * kScaleBytes, block, kScaleBytes);
      }
    }
  }
}

void pack_q4(const std::byte* blocks, int num_rows, int num_blocks, std::byte* packed) {
  constexpr size_t kBlock = kScaleBytes + kGroup / 2;
  const size_t row_bytes = kBlock * static_cast<size_t>(num_blocks);
  for (int first = 0; first < num_rows; first += kPackedRows) {
    for (int b = 0; b < num_blocks; ++b, packed += kPackedQ4Block) {
      for (size_t row = 0; row < kPackedRows; ++row) {
        const std::byte* block =
            blocks + (static_cast<size_t>(first) + row) * row_bytes + static_cast<size_t>(b) * kBlock;
        for (size_t pair = 0; pair < kQuads / 2; ++pair) {
          for (size_t i = 0; i < 4; ++i) {
            const auto column = static_cast<int>(pair * 8 + i);
            packed[(pair * kPackedRows + row) * 4 + i] =
                static_cast<std::byte>(q4_nibble(block, column) | q4_nibble(block, column + 4) << 4U);
          }
        }
        std::memcpy(packed + kPackedRows * kGroup / 2 + row * kScaleBytes, block, kScaleBytes);
      }
    }
  }
}

}  // namespace kazeia
