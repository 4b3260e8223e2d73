// The contents of a GGUF file, checked: nothing in it points outside the file or overlaps.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shape.h"
#include "formats/dtype.h"

namespace kazeia {

// Integers of every width become int64, floats double. Texts are views into the file image.
using GgufValue = std::variant<bool, int64_t, double, std::string_view, std::vector<std::string_view>,
                               std::vector<int64_t>, std::vector<double>>;

struct GgufTensor {
  DType dtype = DType::f32;
  Shape shape;                       // row-major
  std::span<const std::byte> bytes;  // view into the file image
};

struct GgufContents {
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::map<std::string, GgufTensor, std::less<>> tensors;
  std::vector<std::string> tensor_order;  // names as listed in the file
};

// `path` is for messages.
Result<GgufContents> parse_gguf(std::span<const std::byte> file, const std::string& path);

}  // namespace kazeia
