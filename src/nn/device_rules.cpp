#include "nn/device_rules.h"

#include <map>

#include "compute/graph.h"
#include "compute/quantize.h"

namespace kazeia::nn {
namespace {

bool takes_matmul(const Device& device, int64_t num_rows) {
  constexpr int64_t kWidth = 64;
  Graph g(/*max_nodes=*/8);
  ggml_tensor* weight = ggml_new_tensor_2d(g.context(), GGML_TYPE_F16, kWidth, kWidth);
  ggml_tensor* x = ggml_new_tensor_2d(g.context(), GGML_TYPE_F32, kWidth, num_rows);
  return device.supports(ggml_mul_mat(g.context(), weight, x));
}

// The largest number of rows that the device multiplies at once, where it has such a limit.
int64_t find_max_matmul_rows(const Device& device) {
  constexpr int64_t kPlenty = 65536;
  if (takes_matmul(device, kPlenty)) return 0;
  int64_t taken = 1, refused = kPlenty;
  while (refused - taken > 1) {
    const int64_t middle = (taken + refused) / 2;
    (takes_matmul(device, middle) ? taken : refused) = middle;
  }
  return taken;
}

bool takes_exact_gelu(const Device& device) {
  Graph g(/*max_nodes=*/8);
  return device.supports(ggml_gelu_erf(g.context(), ggml_new_tensor_2d(g.context(), GGML_TYPE_F32, 64, 4)));
}

class RetypedSource final : public TensorSource {
 public:
  RetypedSource(std::shared_ptr<const TensorSource> source, const ChooseType& choose) : source_(std::move(source)) {
    for (const std::string& name : source_->names()) {
      TensorInfo info = *source_->find(name);
      const DType dtype = choose(name, info);
      if (info.dtype == dtype) continue;
      info.dtype = dtype;
      info.mapped = false;
      changed_.emplace(name, info);
    }
  }

  const TensorInfo* find(std::string_view name) const override {
    const auto changed = changed_.find(name);
    return changed == changed_.end() ? source_->find(name) : &changed->second;
  }

  Result<std::span<const std::byte>> read(std::string_view name, std::vector<std::byte>& scratch) const override {
    const auto changed = changed_.find(name);
    if (changed == changed_.end()) return source_->read(name, scratch);
    const TensorInfo& info = changed->second;
    std::vector<std::byte> stored;
    KZ_TRY(const auto bytes, source_->read(name, stored));
    std::vector<float> values(static_cast<size_t>(info.shape.num_elements()));
    dequantize_row(source_->find(name)->dtype, bytes, values);
    scratch.resize(info.num_bytes());
    quantize_rows(info.dtype, values, info.shape.last(), scratch);
    return std::span<const std::byte>(scratch);
  }

  void release(std::string_view name) const override { source_->release(name); }
  std::vector<std::string> names() const override { return source_->names(); }
  const std::string& path() const override { return source_->path(); }

 private:
  std::shared_ptr<const TensorSource> source_;
  std::map<std::string, TensorInfo, std::less<>> changed_;
};

}  // namespace

DeviceRules DeviceRules::of(const Device& device) {
  return {.max_matmul_rows = find_max_matmul_rows(device), .exact_gelu = takes_exact_gelu(device)};
}

DType device_type(const TensorInfo& info, bool is_matrix) {
  if (block_values(info.dtype) > 1) return info.dtype;
  return is_matrix ? DType::f16 : DType::f32;
}

std::shared_ptr<const TensorSource> with_types(std::shared_ptr<const TensorSource> source, const ChooseType& choose) {
  return std::make_shared<RetypedSource>(std::move(source), choose);
}

}  // namespace kazeia::nn
