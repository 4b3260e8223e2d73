// The safetensors files of one checkpoint folder: model.safetensors, or shards listed by model.safetensors.index.json.
// Layout of a file: 8 bytes header size (little endian), header JSON, data; offsets count from the start of the data.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/shape.h"
#include "formats/dtype.h"

namespace kazeia {

struct SafetensorsTensor {
  std::optional<DType> dtype;  // empty: a type that no weight of ours has, such as int64
  std::string dtype_text;      // as in the header: "BF16"
  Shape shape;
  std::span<const std::byte> bytes;  // view into the mapped file
  size_t file_index = 0;             // into SafetensorsFolder's files
};

using SafetensorsMap = std::map<std::string, SafetensorsTensor, std::less<>>;

// The tensors of one file image. `path` is for messages. Checked: header size and JSON, types, shapes, and that the
// tensors fill the data exactly, without overlap or gap.
Result<SafetensorsMap> parse_safetensors(std::span<const std::byte> file, const std::string& path);

class SafetensorsFolder {
 public:
  static Result<SafetensorsFolder> open(const std::string& folder);

  const SafetensorsTensor* find(std::string_view name) const;
  const SafetensorsMap& tensors() const { return tensors_; }
  const std::string& file_path(const SafetensorsTensor& tensor) const { return files_[tensor.file_index].path(); }
  // What to name when a tensor is missing: the file, or the index of the shards.
  const std::string& path() const { return path_; }

 private:
  explicit SafetensorsFolder(std::string path) : path_(std::move(path)) {}
  static Result<SafetensorsFolder> open_shards(const std::string& folder);

  std::string path_;
  std::vector<MappedFile> files_;
  SafetensorsMap tensors_;
};

}  // namespace kazeia
