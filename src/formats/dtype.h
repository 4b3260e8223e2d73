// Number formats in which weights are stored.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kazeia {

// q8_0 and q4_0 are ggml's blocks of 32 values along the last dimension: one f16 scale, then 32 int8 or 16 bytes of
// nibbles.
enum class DType : uint8_t { f32, f16, bf16, q8_0, q4_0 };

const char* dtype_name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

// Values per block along the last dimension: 1, or 32 for the quantised types.
int64_t block_values(DType dtype);
// Bytes of one block.
size_t block_bytes(DType dtype);
// Bytes of num_values values; num_values is a multiple of block_values(dtype).
size_t storage_bytes(DType dtype, int64_t num_values);

}  // namespace kazeia
