// A model's tensors as float32, whatever the file holds. The golden tensors come from the official code in float32,
// while a matrix stored in bf16 also rounds what it is multiplied with.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/half.h"
#include "formats/tensor_source.h"

namespace kazeia::golden {

class FloatSource : public TensorSource {
 public:
  explicit FloatSource(std::shared_ptr<const TensorSource> source) : source_(std::move(source)) {
    for (const std::string& name : source_->names()) {
      infos_[name] = {.dtype = DType::f32, .shape = source_->find(name)->shape, .mapped = false};
    }
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto found = infos_.find(name);
    return found == infos_.end() ? nullptr : &found->second;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    std::vector<std::byte> stored;
    KZ_TRY(const std::span<const std::byte> bytes, source_->read(name, stored));
    const DType dtype = source_->find(name)->dtype;
    KZ_CHECK(dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16);
    if (dtype == DType::f32) {
      scratch.assign(bytes.begin(), bytes.end());
      return std::span<const std::byte>(scratch);
    }
    scratch.resize(bytes.size() * 2);
    for (size_t i = 0; i < bytes.size() / 2; ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, &bytes[i * 2], sizeof(bits));
      const float value = dtype == DType::bf16 ? bf16_to_float(bits) : f16_to_float(bits);
      std::memcpy(&scratch[i * 4], &value, sizeof(value));
    }
    return std::span<const std::byte>(scratch);
  }

  std::vector<std::string> names() const override { return source_->names(); }
  const std::string& path() const override { return source_->path(); }

 private:
  std::shared_ptr<const TensorSource> source_;
  std::map<std::string, TensorInfo, std::less<>> infos_;
};

}  // namespace kazeia::golden
