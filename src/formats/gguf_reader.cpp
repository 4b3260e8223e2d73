#include "formats/gguf_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "formats/gguf_format.h"

namespace kazeia {
namespace {

constexpr uint64_t kMaxKeyBytes = 65'535;
constexpr uint64_t kMaxTensorNameBytes = 64;
constexpr uint64_t kMaxAlignment = 65'536;

// Reads from the front of the image. After a read past the end every read gives zero and good() is false.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T read() {
    T value{};
    const std::span<const std::byte> raw = take(sizeof(T));
    if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  std::string_view read_text(uint64_t max_bytes) {
    const auto size = read<uint64_t>();
    if (size > max_bytes) good_ = false;
    const std::span<const std::byte> raw = take(size);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }

  bool good() const { return good_; }
  uint64_t position() const { return position_; }
  uint64_t remaining() const { return bytes_.size() - position_; }

 private:
  std::span<const std::byte> take(uint64_t size) {
    if (!good_ || size > remaining()) {
      good_ = false;
      return {};
    }
    const auto taken = bytes_.subspan(position_, size);
    position_ += size;
    return taken;
  }

  std::span<const std::byte> bytes_;
  uint64_t position_ = 0;
  bool good_ = true;
};

// Bytes of one scalar in the file; 0 for texts, arrays and unknown types.
uint64_t scalar_bytes(GgufType type) {
  switch (type) {
    case GgufType::uint8:
    case GgufType::int8:
    case GgufType::boolean: return 1;
    case GgufType::uint16:
    case GgufType::int16: return 2;
    case GgufType::uint32:
    case GgufType::int32:
    case GgufType::float32: return 4;
    case GgufType::uint64:
    case GgufType::int64:
    case GgufType::float64: return 8;
    case GgufType::string:
    case GgufType::array: return 0;
  }
  return 0;
}

bool is_float(GgufType type) { return type == GgufType::float32 || type == GgufType::float64; }

// An integer or boolean; a uint64 above the range of int64 saturates, which no field of ours accepts.
int64_t read_integer(Cursor& in, GgufType type) {
  switch (type) {
    case GgufType::uint8:
    case GgufType::boolean: return in.read<uint8_t>();
    case GgufType::int8: return in.read<int8_t>();
    case GgufType::uint16: return in.read<uint16_t>();
    case GgufType::int16: return in.read<int16_t>();
    case GgufType::uint32: return in.read<uint32_t>();
    case GgufType::int32: return in.read<int32_t>();
    case GgufType::uint64: return static_cast<int64_t>(std::min<uint64_t>(in.read<uint64_t>(), INT64_MAX));
    default: return in.read<int64_t>();
  }
}

double read_float(Cursor& in, GgufType type) {
  return type == GgufType::float32 ? static_cast<double>(in.read<float>()) : in.read<double>();
}

std::optional<GgufValue> read_array(Cursor& in) {
  const auto type = static_cast<GgufType>(in.read<uint32_t>());
  const auto count = in.read<uint64_t>();
  const uint64_t element_bytes = type == GgufType::string ? 8 : scalar_bytes(type);  // 8: the size of an empty text
  if (element_bytes == 0 || count > in.remaining() / element_bytes) return std::nullopt;
  const auto collect = [&](auto values, const auto& read_one) -> GgufValue {
    values.reserve(count);
    for (uint64_t i = 0; i < count && in.good(); ++i) values.push_back(read_one());
    return values;
  };
  if (type == GgufType::string) {
    return collect(std::vector<std::string_view>(), [&] { return in.read_text(in.remaining()); });
  }
  if (is_float(type)) return collect(std::vector<double>(), [&] { return read_float(in, type); });
  return collect(std::vector<int64_t>(), [&] { return read_integer(in, type); });
}

std::optional<GgufValue> read_value(Cursor& in) {
  const auto type = static_cast<GgufType>(in.read<uint32_t>());
  if (type == GgufType::string) return in.read_text(in.remaining());
  if (type == GgufType::array) return read_array(in);
  if (scalar_bytes(type) == 0) return std::nullopt;
  if (type == GgufType::boolean) return in.read<uint8_t>() != 0;
  if (is_float(type)) return read_float(in, type);
  return read_integer(in, type);
}

// A tensor as listed, before its place in the data is known to be right.
struct ListedTensor {
  std::string name;
  Shape shape;
  DType dtype = DType::f32;
  uint64_t offset = 0, num_bytes = 0;
};

class Parser {
 public:
  Parser(std::span<const std::byte> file, const std::string& path) : file_(file), path_(path), in_(file) {}

  Result<GgufContents> parse() {
    KZ_RETURN_IF_ERROR(read_header());
    for (uint64_t i = 0; i < num_values_; ++i) KZ_RETURN_IF_ERROR(read_metadata_entry());
    KZ_RETURN_IF_ERROR(read_alignment());
    for (uint64_t i = 0; i < num_tensors_; ++i) KZ_RETURN_IF_ERROR(read_tensor_entry());
    KZ_RETURN_IF_ERROR(place_tensors());
    return std::move(contents_);
  }

 private:
  Error fail(const std::string& what) const { return Error{ErrorCode::bad_model, path_ + ": " + what}; }
  Error wrong(const std::string& thing, const std::string& expected, const std::string& found) const {
    return fail(thing + ": expected " + expected + ", found " + found);
  }
  Error truncated(const std::string& thing) const {
    return fail(thing + ": truncated or not valid near byte " + std::to_string(in_.position()) + " of " +
                std::to_string(file_.size()));
  }

  Status read_header() {
    const auto magic = in_.read<std::array<char, 4>>();
    if (!std::equal(magic.begin(), magic.end(), kGgufMagic)) {
      return fail("expected a GGUF file, found other content (for a checkpoint, give its folder)");
    }
    const auto version = in_.read<uint32_t>();
    if (version != kGgufVersion) return wrong("GGUF version", std::to_string(kGgufVersion), std::to_string(version));
    num_tensors_ = in_.read<uint64_t>();
    num_values_ = in_.read<uint64_t>();
    if (!in_.good()) return truncated("header");
    // The smallest entries are an empty key with a one-byte value, and an empty name without dimensions.
    if (num_values_ > in_.remaining() / 13 || num_tensors_ > in_.remaining() / 24) {
      return wrong("header", "no more entries than the file has room for",
                   std::to_string(num_values_) + " metadata entries and " + std::to_string(num_tensors_) + " tensors");
    }
    return ok();
  }

  Status read_metadata_entry() {
    const std::string key(in_.read_text(kMaxKeyBytes));
    std::optional<GgufValue> value = in_.good() ? read_value(in_) : std::nullopt;
    if (!value || !in_.good()) return truncated("metadata " + key);
    if (!contents_.metadata.emplace(key, *std::move(value)).second) return fail("metadata " + key + ": appears twice");
    return ok();
  }

  Status read_alignment() {
    const auto found = contents_.metadata.find(kGgufAlignmentKey);
    if (found == contents_.metadata.end()) return ok();
    const auto* value = std::get_if<int64_t>(&found->second);
    const uint64_t alignment = value && *value > 0 ? static_cast<uint64_t>(*value) : 0;
    const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!power_of_two || alignment < 8 || alignment > kMaxAlignment) {
      return wrong(kGgufAlignmentKey, "a power of two from 8 to 65536",
                   value ? std::to_string(*value) : "another type");
    }
    alignment_ = alignment;
    return ok();
  }

  Status read_tensor_entry() {
    ListedTensor tensor;
    tensor.name = in_.read_text(kMaxTensorNameBytes);
    const auto num_dims = in_.read<uint32_t>();
    if (!in_.good()) return truncated("tensor list");
    if (num_dims > kMaxDims) return wrong(tensor.name, "at most 4 dimensions", std::to_string(num_dims));
    int64_t sizes[kMaxDims] = {};
    int64_t num_values = 1;
    for (uint32_t i = 0; i < num_dims; ++i) {
      const auto size = in_.read<int64_t>();
      if (size <= 0 || __builtin_mul_overflow(num_values, size, &num_values) || num_values > INT64_MAX / 8) {
        return in_.good() ? wrong(tensor.name, "sizes from 1 to what a file can hold", std::to_string(size))
                          : truncated(tensor.name);
      }
      sizes[num_dims - 1 - i] = size;
    }
    const auto type = in_.read<uint32_t>();
    tensor.offset = in_.read<uint64_t>();
    if (!in_.good()) return truncated(tensor.name);
    const std::optional<DType> dtype = dtype_of_gguf(type);
    if (!dtype) return wrong(tensor.name, "type f32, f16, bf16, q8_0 or q4_0", "GGUF type " + std::to_string(type));
    tensor.dtype = *dtype;
    tensor.shape = Shape(sizes, static_cast<int>(num_dims));
    if (tensor.shape.last() % block_values(*dtype) != 0) {
      return wrong(tensor.name, "rows of whole blocks of 32", to_string(tensor.shape));
    }
    tensor.num_bytes = storage_bytes(*dtype, num_values);
    listed_.push_back(std::move(tensor));
    return ok();
  }

  Status place_tensors() {
    const uint64_t data_begin = (in_.position() + alignment_ - 1) / alignment_ * alignment_;
    const uint64_t data_bytes = data_begin <= file_.size() ? file_.size() - data_begin : 0;
    for (const ListedTensor& tensor : listed_) {
      contents_.tensor_order.push_back(tensor.name);
      if (tensor.offset % alignment_ != 0) {
        return wrong(tensor.name, "an offset that is a multiple of " + std::to_string(alignment_),
                     std::to_string(tensor.offset));
      }
      if (tensor.offset > data_bytes || tensor.num_bytes > data_bytes - tensor.offset) {
        return wrong(tensor.name,
                     std::to_string(tensor.num_bytes) + " bytes at offset " + std::to_string(tensor.offset),
                     "a truncated file with " + std::to_string(data_bytes) + " bytes of data");
      }
      const auto bytes = file_.subspan(data_begin + tensor.offset, tensor.num_bytes);
      if (!contents_.tensors.emplace(tensor.name, GgufTensor{tensor.dtype, tensor.shape, bytes}).second) {
        return fail(tensor.name + ": appears twice");
      }
    }
    return check_overlap();
  }

  Status check_overlap() {
    std::sort(listed_.begin(), listed_.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (size_t i = 1; i < listed_.size(); ++i) {
      const ListedTensor& before = listed_[i - 1];
      if (listed_[i].offset < before.offset + before.num_bytes) {
        return wrong(listed_[i].name + " overlaps " + before.name,
                     "an offset from " + std::to_string(before.offset + before.num_bytes),
                     std::to_string(listed_[i].offset));
      }
    }
    return ok();
  }

  std::span<const std::byte> file_;
  const std::string& path_;
  Cursor in_;
  uint64_t num_tensors_ = 0, num_values_ = 0;
  uint64_t alignment_ = kGgufDefaultAlignment;
  std::vector<ListedTensor> listed_;
  GgufContents contents_;
};

}  // namespace

Result<GgufContents> parse_gguf(std::span<const std::byte> file, const std::string& path) {
  return Parser(file, path).parse();
}

}  // namespace kazeia
