#include "formats/safetensors_reader.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "formats/json_document.h"

namespace kazeia {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the bound of the official library
constexpr uint64_t kMaxDimension = uint64_t{1} << 40;
constexpr size_t kMaxShards = 1'000;

struct StoredType {
  const char* name;
  uint64_t bytes;
  std::optional<DType> dtype;
};

constexpr StoredType kStoredTypes[] = {
    {"F32", 4, DType::f32}, {"F16", 2, DType::f16}, {"BF16", 2, DType::bf16}, {"F64", 8, {}},     {"I64", 8, {}},
    {"U64", 8, {}},         {"I32", 4, {}},         {"U32", 4, {}},           {"I16", 2, {}},     {"U16", 2, {}},
    {"I8", 1, {}},          {"U8", 1, {}},          {"BOOL", 1, {}},          {"F8_E4M3", 1, {}}, {"F8_E5M2", 1, {}},
};

const StoredType* find_type(const std::string& name) {
  for (const StoredType& type : kStoredTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

// A tensor of the header and where its bytes lie in the data.
struct Entry {
  std::string name;
  SafetensorsTensor tensor;
  uint64_t begin = 0, end = 0;
};

// Messages about one tensor of one file.
struct Context {
  const std::string& path;
  const std::string& tensor;

  Error wrong(const std::string& what, const std::string& expected, const std::string& found) const {
    return Error{ErrorCode::bad_model,
                 path + ": " + tensor + ": " + what + ": expected " + expected + ", found " + found};
  }
};

Result<uint64_t> read_unsigned(const json& value, uint64_t max, const char* what, const Context& context) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > max) {
    return context.wrong(what, "a number up to " + std::to_string(max), describe(value));
  }
  return value.get<uint64_t>();
}

// Also returns the number of bytes through `num_bytes`, which starts as the size of one element.
Result<Shape> read_shape(const json& value, uint64_t& num_bytes, const Context& context) {
  if (!value.is_array() || value.size() > kMaxDims) {
    return context.wrong("shape", "a list of up to 4 sizes", value.is_array() ? "a longer list" : describe(value));
  }
  int64_t sizes[kMaxDims] = {};
  int num_dims = 0;
  for (const json& size : value) {
    KZ_TRY(const uint64_t number, read_unsigned(size, kMaxDimension, "shape", context));
    if (__builtin_mul_overflow(num_bytes, number, &num_bytes)) {
      return context.wrong("shape", "less than 2^64 bytes", value.dump());
    }
    sizes[num_dims++] = static_cast<int64_t>(number);
  }
  return Shape(sizes, num_dims);
}

Result<Entry> read_entry(const std::string& name, const json& value, uint64_t data_bytes, const Context& context) {
  const bool complete = value.is_object() && value.contains("dtype") && value["dtype"].is_string() &&
                        value.contains("shape") && value.contains("data_offsets") && value["data_offsets"].is_array() &&
                        value["data_offsets"].size() == 2;
  if (!complete) return context.wrong("header entry", "dtype, shape and two data_offsets", "something else");
  Entry entry;
  entry.name = name;
  entry.tensor.dtype_text = value["dtype"].get<std::string>();
  const StoredType* type = find_type(entry.tensor.dtype_text);
  if (!type) return context.wrong("dtype", "a safetensors type", describe(value["dtype"]));
  entry.tensor.dtype = type->dtype;
  uint64_t num_bytes = type->bytes;
  KZ_TRY(entry.tensor.shape, read_shape(value["shape"], num_bytes, context));
  KZ_TRY(entry.begin, read_unsigned(value["data_offsets"][0], UINT64_MAX, "data_offsets", context));
  KZ_TRY(entry.end, read_unsigned(value["data_offsets"][1], UINT64_MAX, "data_offsets", context));
  const std::string range = std::to_string(entry.begin) + " to " + std::to_string(entry.end);
  if (entry.begin > entry.end || entry.end > data_bytes) {
    return context.wrong("data_offsets", "inside the file's " + std::to_string(data_bytes) + " bytes of data", range);
  }
  if (entry.end - entry.begin != num_bytes) {
    return context.wrong(
        "data_offsets",
        std::to_string(num_bytes) + " bytes for " + entry.tensor.dtype_text + " " + to_string(entry.tensor.shape),
        std::to_string(entry.end - entry.begin) + " bytes");
  }
  return entry;
}

// As the official library demands: sorted by offset, each tensor begins where the one before ends, the last at the end.
Status check_layout(std::vector<Entry>& entries, uint64_t data_bytes, const std::string& path) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  uint64_t expected = 0;
  const std::string* before = nullptr;
  for (const Entry& entry : entries) {
    if (entry.begin != expected) {
      const char* what = entry.begin < expected ? "data_offsets overlap those of " : "data_offsets leave a gap after ";
      return Context{path, entry.name}.wrong(what + (before ? *before : std::string("the header")),
                                             "byte " + std::to_string(expected), std::to_string(entry.begin));
    }
    expected = entry.end;
    before = &entry.name;
  }
  if (expected != data_bytes) {
    return Error{ErrorCode::bad_model, path + ": expected " + std::to_string(expected) + " bytes of data, found " +
                                           std::to_string(data_bytes)};
  }
  return ok();
}

bool exists(const std::string& path) {
  std::error_code unused;
  return std::filesystem::exists(path, unused);
}

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name.find_first_of("/\\") == std::string::npos && name.front() != '.';
}

}  // namespace

Result<SafetensorsMap> parse_safetensors(std::span<const std::byte> file, const std::string& path) {
  if (file.size() < 8) return Error{ErrorCode::bad_model, path + ": truncated: expected at least 8 bytes"};
  uint64_t header_bytes = 0;
  for (size_t i = 0; i < 8; ++i) header_bytes |= std::to_integer<uint64_t>(file[i]) << (8 * i);
  if (header_bytes > kMaxHeaderBytes || header_bytes > file.size() - 8) {
    return Error{ErrorCode::bad_model, path + ": header size: expected at most " +
                                           std::to_string(std::min<uint64_t>(kMaxHeaderBytes, file.size() - 8)) +
                                           " bytes, found " + std::to_string(header_bytes)};
  }
  KZ_TRY(const json header, parse_json(file.subspan(8, header_bytes), path + ": header"));
  if (!header.is_object()) return Error{ErrorCode::bad_model, path + ": header: expected an object"};
  const std::span<const std::byte> data = file.subspan(8 + header_bytes);

  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    KZ_TRY(Entry entry, read_entry(name, value, data.size(), Context{path, name}));
    entry.tensor.bytes = data.subspan(entry.begin, entry.end - entry.begin);
    entries.push_back(std::move(entry));
  }
  KZ_RETURN_IF_ERROR(check_layout(entries, data.size(), path));
  SafetensorsMap tensors;
  for (Entry& entry : entries) tensors.emplace(std::move(entry.name), std::move(entry.tensor));
  return tensors;
}

Result<SafetensorsFolder> SafetensorsFolder::open(const std::string& folder) {
  const std::string single = folder + "/model.safetensors";
  if (!exists(single) && exists(single + ".index.json")) return open_shards(folder);
  SafetensorsFolder result(single);
  KZ_TRY(MappedFile file, MappedFile::open(single));
  KZ_TRY(result.tensors_, parse_safetensors(file.bytes(), single));
  result.files_.push_back(std::move(file));
  return result;
}

Result<SafetensorsFolder> SafetensorsFolder::open_shards(const std::string& folder) {
  SafetensorsFolder result(folder + "/model.safetensors.index.json");
  const std::string& path = result.path_;
  KZ_TRY(const json index, read_json_file(path));
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    return Error{ErrorCode::bad_model, path + ": weight_map: expected an object {tensor: file}, found none"};
  }
  std::map<std::string, SafetensorsMap> shards;
  std::map<std::string, size_t> file_index;
  for (const auto& [name, shard] : index["weight_map"].items()) {
    if (!shard.is_string() || !is_plain_file_name(shard.get<std::string>())) {
      return Error{ErrorCode::bad_model, path + ": " + name + ": expected a file name, found " + describe(shard)};
    }
    const std::string file_name = shard.get<std::string>();
    if (!shards.contains(file_name)) {
      if (shards.size() == kMaxShards) return Error{ErrorCode::bad_model, path + ": expected at most 1000 files"};
      KZ_TRY(MappedFile file, MappedFile::open(folder + "/" + file_name));
      KZ_TRY(shards[file_name], parse_safetensors(file.bytes(), file.path()));
      file_index[file_name] = result.files_.size();
      result.files_.push_back(std::move(file));
    }
    const auto found = shards[file_name].find(name);
    if (found == shards[file_name].end()) {
      return Error{ErrorCode::bad_model,
                   folder + "/" + file_name + ": " + name + ": the index says it is here, but it is missing"};
    }
    found->second.file_index = file_index[file_name];
    result.tensors_.emplace(name, found->second);
  }
  return result;
}

const SafetensorsTensor* SafetensorsFolder::find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

}  // namespace kazeia
