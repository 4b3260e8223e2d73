#include "formats/storage_type.h"

namespace kazeia {
namespace {

constexpr StorageType kAll[] = {StorageType::f32,  StorageType::bf16, StorageType::f16,
                                StorageType::q8_0, StorageType::q4_0, StorageType::mixed};

bool is_gated_input(const TensorSpec& spec) {
  return spec.name.ends_with(".gate_proj.weight") || spec.name.ends_with(".up_proj.weight");
}

DType matrix_dtype(const TensorSpec& spec, StorageType type) {
  switch (type) {
    case StorageType::f32: return DType::f32;
    case StorageType::bf16: return DType::bf16;
    case StorageType::f16: return DType::f16;
    case StorageType::q8_0: return DType::q8_0;
    case StorageType::q4_0: return DType::q4_0;
    case StorageType::mixed: return is_gated_input(spec) ? DType::q4_0 : DType::q8_0;
  }
  return DType::f32;
}

// Without regard to the row length.
DType wanted_dtype(const TensorSpec& spec, StorageType type) {
  const DType dtype = matrix_dtype(spec, type);
  const bool quantised = block_values(dtype) > 1;
  switch (spec.role) {
    case TensorRole::matrix: return dtype;
    case TensorRole::table: return quantised ? DType::q8_0 : dtype;
    case TensorRole::codec_matrix: return quantised ? DType::f16 : dtype;
    case TensorRole::exact: return DType::f32;
  }
  return DType::f32;
}

}  // namespace

const char* storage_type_name(StorageType type) {
  return type == StorageType::mixed ? "mixed" : dtype_name(matrix_dtype({}, type));
}

std::optional<StorageType> parse_storage_type(std::string_view name) {
  for (const StorageType type : kAll) {
    if (name == storage_type_name(type)) return type;
  }
  return std::nullopt;
}

bool has_odd_rows(const TensorSpec& spec, StorageType type) {
  return spec.shape.last() % block_values(wanted_dtype(spec, type)) != 0;
}

DType storage_dtype(const TensorSpec& spec, StorageType type) {
  return has_odd_rows(spec, type) ? DType::f16 : wanted_dtype(spec, type);
}

}  // namespace kazeia
