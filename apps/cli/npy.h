// NumPy's .npy files: how codes and tensors travel between this program and Python.
// Format: numpy.lib.format, versions 1.0 to 3.0; little-endian, C order, up to 4 dimensions.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shape.h"

namespace kazeia {

struct NpyArray {
  Shape shape;
  std::variant<std::vector<float>, std::vector<int32_t>, std::vector<int64_t>> values;  // <f4, <i4, <i8
};

// Errors name the file, what was expected and what was found.
Result<NpyArray> read_npy(const std::string& path);

// The same, for a file that must hold one type of number.
Result<std::vector<float>> read_npy_f32(const std::string& path, Shape& shape);
// Integers of either width; each must fit 32 bits.
Result<std::vector<int32_t>> read_npy_i32(const std::string& path, Shape& shape);

// Whole files or none: see AtomicFile.
Status write_npy(const std::string& path, const Shape& shape, std::span<const float> values);
Status write_npy(const std::string& path, const Shape& shape, std::span<const int32_t> values);

}  // namespace kazeia
