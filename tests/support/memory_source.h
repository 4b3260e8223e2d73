// A TensorSource made of vectors: models that a test writes down or draws at random.
#pragma once
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "formats/half.h"
#include "formats/tensor_source.h"

namespace kazeia::test {

class MemorySource final : public TensorSource {
 public:
  // Stores the values rounded to `dtype`: f32, f16 or bf16. Adding a name again replaces the tensor.
  void add(const std::string& name, const Shape& shape, const std::vector<float>& values, DType dtype = DType::f32) {
    KZ_CHECK(shape.num_elements() == static_cast<int64_t>(values.size()) && block_values(dtype) == 1);
    Entry entry{.info = {.dtype = dtype, .shape = shape},
                .bytes = std::vector<std::byte>(storage_bytes(dtype, shape.num_elements()))};
    for (size_t i = 0; i < values.size(); ++i) {
      const uint16_t half = dtype == DType::f16 ? float_to_f16(values[i]) : float_to_bf16(values[i]);
      std::byte* to = entry.bytes.data() + i * block_bytes(dtype);
      if (dtype == DType::f32) std::memcpy(to, &values[i], sizeof(float));
      if (dtype != DType::f32) std::memcpy(to, &half, sizeof(half));
    }
    entries_.insert_or_assign(name, std::move(entry));
  }
  void remove(const std::string& name) { entries_.erase(name); }

  const TensorInfo* find(std::string_view name) const override {
    const auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second.info;
  }
  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    scratch = entries_.find(name)->second.bytes;
    return std::span<const std::byte>(scratch);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }
  const std::string& path() const override { return path_; }

 private:
  struct Entry {
    TensorInfo info;
    std::vector<std::byte> bytes;
  };

  std::map<std::string, Entry, std::less<>> entries_;
  std::string path_ = "memory";
};

}  // namespace kazeia::test
