#include "compute/input_pack.h"

#include <algorithm>
#include <cstring>

namespace kazeia {

Result<InputPack> InputPack::create(const Device& device, const Graph& graph) {
  constexpr size_t kAlignment = 256;
  ggml_backend_buffer_type_t buffer_type = device.buffer_type();
  std::vector<std::pair<ggml_tensor*, size_t>> inputs;  // with their offsets
  size_t num_bytes = 0;
  ggml_context* context = graph.context();
  for (ggml_tensor* node = ggml_get_first_tensor(context); node; node = ggml_get_next_tensor(context, node)) {
    if ((node->flags & GGML_TENSOR_FLAG_INPUT) == 0) continue;
    KZ_CHECK(node->data == nullptr && node->view_src == nullptr);
    inputs.emplace_back(node, num_bytes);
    const size_t needed = std::max(ggml_nbytes(node), ggml_backend_buft_get_alloc_size(buffer_type, node));
    num_bytes += (needed + kAlignment - 1) / kAlignment * kAlignment;
  }
  InputPack pack;
  if (inputs.empty()) return pack;

  pack.context_.reset(ggml_init({.mem_size = ggml_tensor_overhead(), .mem_buffer = nullptr, .no_alloc = true}));
  pack.buffer_.reset(ggml_backend_buft_alloc_buffer(buffer_type, num_bytes));
  if (!pack.context_ || !pack.buffer_)
    return device.fail(ErrorCode::out_of_memory, "can't allocate the inputs of a graph");
  auto* base = static_cast<std::byte*>(ggml_backend_buffer_get_base(pack.buffer_.get()));
  for (const auto& [node, offset] : inputs) ggml_backend_tensor_alloc(pack.buffer_.get(), node, base + offset);
  pack.whole_ = ggml_new_tensor_1d(pack.context_.get(), GGML_TYPE_I8, static_cast<int64_t>(num_bytes));
  ggml_backend_tensor_alloc(pack.buffer_.get(), pack.whole_, base);
  pack.values_.resize(num_bytes);
  return pack;
}

void InputPack::set(Tensor input, const void* data, size_t num_bytes) {
  KZ_CHECK(input.node->buffer == buffer_.get() && num_bytes == ggml_nbytes(input.node));
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(input.node->data) -
                                          static_cast<const std::byte*>(whole_->data));
  std::memcpy(values_.data() + offset, data, num_bytes);
  const bool first = changed_end_ == 0;
  changed_begin_ = first ? offset : std::min(changed_begin_, offset);
  changed_end_ = std::max(changed_end_, offset + num_bytes);
}

size_t InputPack::upload() {
  const size_t num_bytes = changed_end_ - changed_begin_;
  if (num_bytes > 0) ggml_backend_tensor_set(whole_, values_.data() + changed_begin_, changed_begin_, num_bytes);
  changed_begin_ = changed_end_ = 0;
  return num_bytes;
}

}  // namespace kazeia
