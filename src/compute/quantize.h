// Between f32 and the storage types, with ggml's own arithmetic.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/dtype.h"

namespace kazeia {

// values: rows of row_length, a multiple of block_values(dtype). out: storage_bytes(dtype, values.size()).
void quantize_rows(DType dtype, std::span<const float> values, int64_t row_length, std::span<std::byte> out);

// The way back. bytes: whole blocks.
void dequantize_row(DType dtype, std::span<const std::byte> bytes, std::span<float> out);

}  // namespace kazeia
