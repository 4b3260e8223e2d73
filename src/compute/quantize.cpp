#include "compute/quantize.h"

#include <ggml.h>

#include <cstring>

#include "base/result.h"
#include "compute/tensor.h"

namespace kazeia {

void quantize_rows(DType dtype, std::span<const float> values, int64_t row_length, std::span<std::byte> out) {
  const auto num_values = static_cast<int64_t>(values.size());
  KZ_CHECK(row_length > 0 && num_values % row_length == 0 && row_length % block_values(dtype) == 0);
  KZ_CHECK(out.size() == storage_bytes(dtype, num_values));
  if (values.empty()) return;
  ggml_quantize_chunk(to_ggml_type(dtype), values.data(), out.data(), /*start=*/0, num_values / row_length, row_length,
                      /*imatrix=*/nullptr);
}

void dequantize_row(DType dtype, std::span<const std::byte> bytes, std::span<float> out) {
  KZ_CHECK(bytes.size() == storage_bytes(dtype, static_cast<int64_t>(out.size())));
  if (out.empty()) return;
  if (dtype == DType::f32) {  // ggml has no function for "as it is"
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return;
  }
  ggml_get_type_traits(to_ggml_type(dtype))->to_float(bytes.data(), out.data(), static_cast<int64_t>(out.size()));
}

}  // namespace kazeia
