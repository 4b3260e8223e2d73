#include "cli/codes_file.h"

#include "cli/npy.h"

namespace kazeia {

Result<std::vector<int32_t>> read_codes(const std::string& path, int num_code_groups) {
  Shape shape;
  KZ_TRY(std::vector<int32_t> codes, read_npy_i32(path, shape));
  if (shape.num_dims() != 2 || shape[1] != num_code_groups) {
    return Error{ErrorCode::invalid_argument, path + ": expected codes [frames, " + std::to_string(num_code_groups) +
                                                  "] for this model, found " + to_string(shape)};
  }
  return codes;
}

Status write_codes(const std::string& path, std::span<const int32_t> codes, int num_code_groups) {
  const int64_t num_frames = static_cast<int64_t>(codes.size()) / num_code_groups;
  return write_npy(path, Shape{num_frames, num_code_groups}, codes);
}

}  // namespace kazeia
