#include "cli/npy.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "formats/atomic_file.h"

namespace kazeia {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in memory");

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr int64_t kMaxHeaderBytes = 1 << 16;
constexpr int64_t kMaxElements = int64_t{1} << 31;

Error bad_file(const std::string& path, const std::string& problem) {
  return {ErrorCode::invalid_argument, path + ": " + problem};
}

// The text after "'key':" in a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }
std::optional<std::string_view> after_key(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size() + 2);
  const size_t colon = rest.find_first_not_of(' ');
  if (colon == std::string_view::npos || rest[colon] != ':') return std::nullopt;
  rest.remove_prefix(colon + 1);
  const size_t value = rest.find_first_not_of(' ');
  return value == std::string_view::npos ? std::nullopt : std::optional(rest.substr(value));
}

// "(3, 2), ..." -> [3, 2]; a scalar has shape ().
std::optional<Shape> parse_shape(std::string_view text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos) return std::nullopt;
  text = text.substr(1, end - 1);
  int64_t sizes[kMaxDims];
  int num_dims = 0;
  int64_t num_elements = 1;
  while (!text.empty()) {
    if (text[0] == ' ' || text[0] == ',') {
      text.remove_prefix(1);
      continue;
    }
    if (num_dims == kMaxDims) return std::nullopt;
    int64_t& size = sizes[num_dims++];
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0 || size > kMaxElements) return std::nullopt;
    num_elements *= size;
    if (num_elements > kMaxElements) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
  }
  return Shape(sizes, num_dims);
}

// Leaves the file at its first value.
Result<std::string> read_header(std::ifstream& file, const std::string& path) {
  char start[8];  // magic, major and minor version
  if (!file.read(start, sizeof(start)) || std::string_view(start, kMagic.size()) != kMagic)
    return bad_file(path, "not a .npy file: expected the magic bytes \\x93NUMPY");
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3) return bad_file(path, "expected .npy version 1 to 3, found " + std::to_string(major));
  const int num_length_bytes = major == 1 ? 2 : 4;
  unsigned char length_bytes[4] = {};
  file.read(reinterpret_cast<char*>(length_bytes), num_length_bytes);
  int64_t length = 0;
  for (int i = num_length_bytes - 1; i >= 0; --i) length = length * 256 + length_bytes[i];
  if (!file || length > kMaxHeaderBytes) return bad_file(path, "the header is cut short or too long");
  std::string header(static_cast<size_t>(length), '\0');
  if (!file.read(header.data(), length)) return bad_file(path, "the header is cut short");
  return header;
}

template <class T>
Result<NpyArray> read_values(std::ifstream& file, const std::string& path, const Shape& shape) {
  const std::streamoff start = file.tellg();
  const int64_t num_found = file.seekg(0, std::ios::end).tellg() - start;
  const int64_t num_bytes = shape.num_elements() * static_cast<int64_t>(sizeof(T));
  if (num_found != num_bytes) {
    return bad_file(path, "expected " + std::to_string(num_bytes) + " bytes of values for shape " + to_string(shape) +
                              ", found " + std::to_string(num_found));
  }
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  if (!file.seekg(start).read(reinterpret_cast<char*>(values.data()), num_bytes))
    return Error{ErrorCode::io, path + ": can't be read"};
  return NpyArray{shape, std::move(values)};
}

Status write_array(const std::string& path, const Shape& shape, const char* type, std::span<const std::byte> bytes) {
  std::string sizes;  // Python's tuple: "3,2,", "3,", ""
  for (int i = 0; i < shape.num_dims(); ++i) sizes += std::to_string(shape[i]) + ",";
  std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // Values start at a multiple of 64 bytes; the header ends with a newline.
  const size_t num_before = kMagic.size() + 4;
  header.append(63 - (num_before + header.size()) % 64, ' ').push_back('\n');
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 255),
                                     static_cast<char>(header.size() >> 8)};

  std::string content(kMagic);
  content.append(version_and_length, sizeof(version_and_length)).append(header);
  content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return write_file(path, content);
}

}  // namespace

Result<NpyArray> read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::io, path + ": can't be opened: " + std::strerror(errno)};
  KZ_TRY(const std::string header, read_header(file, path));
  const auto type = after_key(header, "descr"), order = after_key(header, "fortran_order"),
             sizes = after_key(header, "shape");
  if (!type || !order || !sizes) return bad_file(path, "the header names no type, order or shape: " + header);
  if (!order->starts_with("False")) return bad_file(path, "expected C order, found Fortran order");
  const std::optional<Shape> shape = parse_shape(*sizes);
  if (!shape) return bad_file(path, "expected a shape of at most 4 dimensions, found " + header);
  if (type->starts_with("'<f4'")) return read_values<float>(file, path, *shape);
  if (type->starts_with("'<i4'")) return read_values<int32_t>(file, path, *shape);
  if (type->starts_with("'<i8'")) return read_values<int64_t>(file, path, *shape);
  return bad_file(path, "expected float32, int32 or int64 ('<f4', '<i4', '<i8'), found " + header);
}

Result<std::vector<float>> read_npy_f32(const std::string& path, Shape& shape) {
  KZ_TRY(NpyArray array, read_npy(path));
  shape = array.shape;
  if (auto* values = std::get_if<std::vector<float>>(&array.values)) return std::move(*values);
  return bad_file(path, "expected float32 values, found integers");
}

Result<std::vector<int32_t>> read_npy_i32(const std::string& path, Shape& shape) {
  KZ_TRY(NpyArray array, read_npy(path));
  shape = array.shape;
  if (auto* values = std::get_if<std::vector<int32_t>>(&array.values)) return std::move(*values);
  const auto* wide = std::get_if<std::vector<int64_t>>(&array.values);
  if (!wide) return bad_file(path, "expected int32 values, found float32");
  std::vector<int32_t> narrow;
  for (const int64_t value : *wide) {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
      return bad_file(path, "expected values of 32 bits, found " + std::to_string(value));
    narrow.push_back(static_cast<int32_t>(value));
  }
  return narrow;
}

Status write_npy(const std::string& path, const Shape& shape, std::span<const float> values) {
  KZ_CHECK(shape.num_elements() == static_cast<int64_t>(values.size()));
  return write_array(path, shape, "<f4", std::as_bytes(values));
}

Status write_npy(const std::string& path, const Shape& shape, std::span<const int32_t> values) {
  KZ_CHECK(shape.num_elements() == static_cast<int64_t>(values.size()));
  return write_array(path, shape, "<i4", std::as_bytes(values));
}

}  // namespace kazeia
