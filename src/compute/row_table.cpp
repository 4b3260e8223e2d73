#include "compute/row_table.h"

#include <algorithm>
#include <array>
#include <cstring>

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
  const std::byte* at = bytes_.data() + static_cast<size_t>(row) * storage_bytes(info_.dtype, width());
  // A piece at a time, on the stack; whole blocks of the quantised types, and whole rows of the published models.
  constexpr int64_t kPiece = 2048;
  std::array<float, kPiece> values;
  alignas(float) std::array<std::byte, sizeof values> stored;
  for (int64_t first = 0; first < width(); first += kPiece) {
    const int64_t count = std::min(kPiece, width() - first);
    const std::span piece(at, storage_bytes(info_.dtype, count));
    const std::byte* from = at;
    if (owned_.empty()) {
      source_->copy(piece, stored.data());
      from = stored.data();
    }
    if (info_.dtype == DType::f32) {
      std::memcpy(values.data(), from, piece.size());
    } else {
      ggml_get_type_traits(to_ggml_type(info_.dtype))->to_float(from, values.data(), count);
    }
    for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(first + i)] += values[static_cast<size_t>(i)];
    at += piece.size();
  }
}

}  // namespace kazeia
