#include "compute/row_table.h"

#include <array>

#include "compute/tensor.h"

namespace kazeia {

Result<RowTable> RowTable::open(std::shared_ptr<const TensorSource> source, const std::string& name) {
  const TensorInfo* info = source->find(name);
  if (!info) return Error{ErrorCode::bad_model, source->path() + ": " + name + ": the tensor is missing"};
  RowTable table(source, *info);
  KZ_CHECK(info->shape.num_dims() == 2);
  KZ_TRY(table.bytes_, source->read(name, table.owned_));
  return table;  // moving a vector keeps its bytes where they are
}

void RowTable::add_row(int64_t row, std::span<float> out) const {
  KZ_CHECK(row >= 0 && row < num_rows() && static_cast<int64_t>(out.size()) == width());
  const size_t row_bytes = storage_bytes(info_.dtype, width());
  const std::byte* at = bytes_.data() + static_cast<size_t>(row) * row_bytes;
  const int64_t step = block_values(info_.dtype);  // 1, or one quantised block at a time
  const int64_t piece = step == 1 ? width() : step;
  std::vector<float> values(static_cast<size_t>(piece));
  for (int64_t i = 0; i < width(); i += piece) {
    if (info_.dtype == DType::f32) {
      const auto* source = reinterpret_cast<const float*>(at);
      values.assign(source, source + piece);
    } else {
      ggml_get_type_traits(to_ggml_type(info_.dtype))->to_float(at, values.data(), piece);
    }
    for (int64_t j = 0; j < piece; ++j) out[static_cast<size_t>(i + j)] += values[static_cast<size_t>(j)];
    at += storage_bytes(info_.dtype, piece);
  }
}

}  // namespace kazeia
