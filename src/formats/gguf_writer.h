// Writes a GGUF file tensor by tensor; it appears under its name only when it is complete.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shape.h"
#include "formats/atomic_file.h"
#include "formats/dtype.h"

namespace kazeia {

// The metadata entries, encoded as they will stand in the file.
class GgufMetadata {
 public:
  void add(std::string_view key, uint32_t value);
  void add(std::string_view key, float value);
  void add(std::string_view key, bool value);
  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, const char* value) { add(key, std::string_view(value)); }
  void add(std::string_view key, std::span<const int32_t> values);
  void add(std::string_view key, std::span<const std::string> values);

  uint64_t num_entries() const { return num_entries_; }
  const std::string& encoded() const { return encoded_; }

 private:
  std::string encoded_;
  uint64_t num_entries_ = 0;
};

struct GgufTensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;  // row-major

  size_t num_bytes() const { return storage_bytes(dtype, shape.num_elements()); }
};

class GgufWriter {
 public:
  // Writes everything before the data. general.alignment is added to the metadata.
  static Result<GgufWriter> create(const std::string& path, const GgufMetadata& metadata,
                                   std::vector<GgufTensorEntry> tensors);

  // The next bytes of the data: the tensors in the order given to create(), each in one or more pieces.
  Status write(std::span<const std::byte> bytes);

  // After the last byte of the last tensor.
  Status commit();

  uint64_t num_bytes() const { return file_.num_bytes(); }

 private:
  GgufWriter(AtomicFile file, std::vector<GgufTensorEntry> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}
  Status pad();

  AtomicFile file_;
  std::vector<GgufTensorEntry> tensors_;
  size_t tensor_index_ = 0;   // being written
  size_t bytes_written_ = 0;  // of it
};

}  // namespace kazeia
