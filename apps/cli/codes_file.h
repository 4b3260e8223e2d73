// Codes as .npy files, checked against the model that made or reads them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kazeia {

// Codes [frames, num_code_groups] of int32 or int64, row-major.
Result<std::vector<int32_t>> read_codes(const std::string& path, int num_code_groups);

Status write_codes(const std::string& path, std::span<const int32_t> codes, int num_code_groups);

}  // namespace kazeia
