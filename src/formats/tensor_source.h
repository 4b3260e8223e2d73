// Where weights come from: a GGUF, an official checkpoint folder or a random model, all seen under the engine's own
// tensor names and layouts (formats/tensor_manifest.h).
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shape.h"
#include "formats/dtype.h"

namespace kazeia {

struct TensorInfo {
  DType dtype = DType::f32;
  Shape shape;
  bool mapped = false;  // the mapped file holds these bytes as they are: read() gives a view and computes nothing

  size_t num_bytes() const { return storage_bytes(dtype, shape.num_elements()); }
};

// Immutable after construction; every method may be called from any thread.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  // Null if there is no such tensor. The pointer lives as long as the source.
  virtual const TensorInfo* find(std::string_view name) const = 0;

  // The tensor's bytes, row-major. They are a view into the source's mapped file, valid as long as the source, where
  // the file holds them as they are; otherwise they are computed into `scratch` and the span points there.
  virtual Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const = 0;

  // Copies a part of what read() gave as a view. For rows of a large table, of which few are used: unlike a touch of
  // the view, it keeps the mapped file's pages out of this process's memory.
  virtual void copy(std::span<const std::byte> part, std::byte* to) const { std::copy(part.begin(), part.end(), to); }

  // Says that the tensor's bytes won't be read again soon: pages of a mapped file may leave memory. They can still be
  // read.
  virtual void release(std::string_view name) const { static_cast<void>(name); }

  virtual std::vector<std::string> names() const = 0;

  // What to name in messages: the file or folder.
  virtual const std::string& path() const = 0;
};

}  // namespace kazeia
