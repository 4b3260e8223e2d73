#include "compute/weights.h"

#include <cstring>

namespace kazeia {
namespace {

// ggml's CPU kernels load unaligned data, but its CPU buffers insist on this alignment of their start.
constexpr uintptr_t kBufferAlignment = 64;

struct Mapped {
  ggml_tensor* tensor;
  std::span<const std::byte> bytes;
};

// One read-only buffer over the whole range in which mapped tensors lie.
GgmlBufferPtr map_buffer(const std::vector<Mapped>& mapped) {
  auto begin = reinterpret_cast<uintptr_t>(mapped.front().bytes.data());
  uintptr_t end = begin;
  for (const Mapped& m : mapped) {
    const auto at = reinterpret_cast<uintptr_t>(m.bytes.data());
    begin = std::min(begin, at);
    end = std::max(end, at + m.bytes.size());
  }
  begin &= ~(kBufferAlignment - 1);
  GgmlBufferPtr buffer(ggml_backend_cpu_buffer_from_ptr(reinterpret_cast<void*>(begin), end - begin));
  if (!buffer) return nullptr;
  ggml_backend_buffer_set_usage(buffer.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
  for (const Mapped& m : mapped) {
    m.tensor->data = const_cast<std::byte*>(m.bytes.data());
    m.tensor->buffer = buffer.get();
  }
  return buffer;
}

}  // namespace

Result<Weights> Weights::load(std::shared_ptr<const TensorSource> source, const Device& device,
                              const std::vector<std::string>& names) {
  Weights weights;
  weights.source_ = std::move(source);
  const ggml_init_params params = {
      .mem_size = ggml_tensor_overhead() * (names.size() + 1), .mem_buffer = nullptr, .no_alloc = true};
  weights.context_.reset(ggml_init(params));
  if (!weights.context_) return Error{ErrorCode::out_of_memory, "can't allocate the list of weights"};

  std::vector<Mapped> mapped;
  std::vector<std::string> copied;
  std::vector<std::byte> scratch;
  for (const std::string& name : names) {
    const TensorInfo* info = weights.source_->find(name);
    if (!info) return Error{ErrorCode::bad_model, weights.source_->path() + ": " + name + ": the tensor is missing"};
    const GgmlSizes sizes(info->shape);
    ggml_tensor* tensor = ggml_new_tensor(weights.context_.get(), to_ggml_type(info->dtype), kMaxDims, sizes.ne);
    weights.tensors_[name] = {tensor};
    KZ_CHECK(info->num_bytes() == ggml_nbytes(tensor));
    if (device.is_cpu() && info->mapped) {
      KZ_TRY(const auto bytes, weights.source_->read(name, scratch));
      mapped.push_back({tensor, bytes});
      weights.mapped_bytes_ += bytes.size();
    } else {
      copied.push_back(name);
      weights.copied_bytes_ += info->num_bytes();
    }
  }
  if (!mapped.empty()) {
    weights.buffers_.push_back(map_buffer(mapped));
    if (!weights.buffers_.back()) return Error{ErrorCode::out_of_memory, device.name() + ": can't map the weights"};
  }
  if (copied.empty()) return weights;

  // ggml skips the tensors that already have data.
  weights.buffers_.emplace_back(
      ggml_backend_alloc_ctx_tensors_from_buft(weights.context_.get(), device.weights_buffer_type()));
  if (!weights.buffers_.back()) {
    return device.fail(ErrorCode::out_of_memory,
                       "can't allocate " + std::to_string(weights.copied_bytes_ >> 20) + " MiB of weights");
  }
  if (!device.is_cpu()) device.coverage().weight_bytes += static_cast<int64_t>(weights.copied_bytes_);
  // Before the first byte is set: some devices store weights in an order of their own.
  ggml_backend_buffer_set_usage(weights.buffers_.back().get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
  for (const std::string& name : copied) {
    KZ_TRY(const auto bytes, weights.source_->read(name, scratch));
    ggml_backend_tensor_set(weights.tensors_[name].node, bytes.data(), 0, bytes.size());
  }
  return weights;
}

Tensor Weights::get(const std::string& name) const {
  const Tensor tensor = find(name);
  KZ_CHECK(tensor);
  return tensor;
}

Tensor Weights::find(const std::string& name) const {
  const auto it = tensors_.find(name);
  return it == tensors_.end() ? Tensor{} : it->second;
}

}  // namespace kazeia
