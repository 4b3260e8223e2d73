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

template <class Value>
void pack_values(const std::byte* w, const ConvShape& shape, int columns, std::byte* packed) {
  const auto num_in = static_cast<size_t>(shape.in_channels);
  const auto num_out = static_cast<size_t>(shape.out_channels);
  const auto num_columns = static_cast<size_t>(columns);
  for (size_t first = 0; first < num_out; first += num_columns) {
    for (size_t tap = 0; tap < static_cast<size_t>(shape.taps); ++tap) {
      for (size_t c = 0; c < num_in; ++c) {
        for (size_t out = first; out < first + num_columns; ++out, packed += sizeof(Value)) {
          if (out < num_out) {
            std::memcpy(packed, w + ((tap * num_out + out) * num_in + c) * sizeof(Value), sizeof(Value));
          } else {
            std::memset(packed, 0, sizeof(Value));
          }
        }
      }
    }
  }
}

}  // namespace

size_t packed_conv_bytes(ConvType type, const ConvShape& shape, int columns) {
  return static_cast<size_t>(num_panels(shape.out_channels, columns)) * static_cast<size_t>(columns) *
         static_cast<size_t>(shape.taps) * static_cast<size_t>(shape.in_channels) * conv_value_bytes(type);
}

void pack_conv(const std::byte* w, ConvType type, const ConvShape& shape, int columns, std::byte* packed) {
  if (conv_value_bytes(type) == sizeof(uint32_t)) {
    pack_values<uint32_t>(w, shape, columns, packed);
  } else {
    pack_values<uint16_t>(w, shape, columns, packed);
  }
}

size_t packed_pairs_bytes(const ConvShape& shape, int columns) {
  ConvShape padded = shape;
  padded.in_channels = 2 * num_pairs(shape.in_channels);
  return packed_conv_bytes(ConvType::bf16, padded, columns);
}

void pack_pairs(const uint16_t* w, int tap, const ConvShape& shape, int columns, std::byte* packed) {
  constexpr size_t kPairBytes = 4;
  const auto pairs = static_cast<size_t>(num_pairs(shape.in_channels));
  const auto num_out = static_cast<size_t>(shape.out_channels);
  const auto num_columns = static_cast<size_t>(columns);
  for (size_t first = 0; first < num_out; first += num_columns) {
    const size_t panel = first / num_columns;
    std::byte* to = packed + (panel * static_cast<size_t>(shape.taps) + static_cast<size_t>(tap)) * pairs *
                                 num_columns * kPairBytes;
    for (size_t pair = 0; pair < pairs; ++pair) {
      for (size_t out = first; out < first + num_columns; ++out, to += kPairBytes) {
        if (out < num_out) {
          std::memcpy(to, w + (out * pairs + pair) * 2, kPairBytes);
        } else {
          std::memset(to, 0, kPairBytes);
        }
      }
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
