#include "formats/dtype.h"

#include "base/result.h"

namespace kazeia {
namespace {

struct DTypeRow {
  DType dtype;
  const char* name;
  int64_t block_values;
  size_t block_bytes;
};

constexpr DTypeRow kRows[] = {
    {DType::f32, "f32", 1, 4},     {DType::f16, "f16", 1, 2},     {DType::bf16, "bf16", 1, 2},
    {DType::q8_0, "q8_0", 32, 34}, {DType::q4_0, "q4_0", 32, 18},
};

const DTypeRow& row(DType dtype) {
  const DTypeRow& found = kRows[static_cast<size_t>(dtype)];
  KZ_ASSERT(found.dtype == dtype);
  return found;
}

}  // namespace

const char* dtype_name(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeRow& candidate : kRows) {
    if (name == candidate.name) return candidate.dtype;
  }
  return std::nullopt;
}

int64_t block_values(DType dtype) { return row(dtype).block_values; }

size_t block_bytes(DType dtype) { return row(dtype).block_bytes; }

size_t storage_bytes(DType dtype, int64_t num_values) {
  KZ_CHECK(num_values % block_values(dtype) == 0);
  return static_cast<size_t>(num_values / block_values(dtype)) * block_bytes(dtype);
}

}  // namespace kazeia
