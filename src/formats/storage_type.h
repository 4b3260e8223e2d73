// Which number format each tensor of a model gets.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/dtype.h"
#include "formats/tensor_manifest.h"

namespace kazeia {

// A model's type, as on the command line. `mixed`: q8_0, but q4_0 for the gate and up projections of talker and code
// predictor (37 % of the 0.6B's matrix values), which reach the residual stream only through a product and down_proj.
enum class StorageType : uint8_t { f32, bf16, f16, q8_0, q4_0, mixed };

const char* storage_type_name(StorageType type);
std::optional<StorageType> parse_storage_type(std::string_view name);

// By role: `exact` is always f32; codec matrices keep f32 and bf16 and are f16 otherwise; tables are never below q8_0.
// Quantised types need rows of whole blocks; a tensor with other rows is stored as f16.
DType storage_dtype(const TensorSpec& spec, StorageType type);

// True if only the row length of this tensor kept it from the type that its role would get.
bool has_odd_rows(const TensorSpec& spec, StorageType type);

}  // namespace kazeia
