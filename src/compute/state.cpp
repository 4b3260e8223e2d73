#include "compute/state.h"

namespace kazeia {

State::State(int max_tensors) {
  const ggml_init_params params = {
      .mem_size = ggml_tensor_overhead() * static_cast<size_t>(max_tensors), .mem_buffer = nullptr, .no_alloc = true};
  context_.reset(ggml_init(params));
  KZ_CHECK(context_ != nullptr);
}

Tensor State::add(DType dtype, const Shape& shape) {
  const GgmlSizes sizes(shape);
  return {ggml_new_tensor(context_.get(), to_ggml_type(dtype), kMaxDims, sizes.ne)};
}

Tensor State::add_i32(int64_t count) { return {ggml_new_tensor_1d(context_.get(), GGML_TYPE_I32, count)}; }
Tensor State::add_i64(int64_t count) { return {ggml_new_tensor_1d(context_.get(), GGML_TYPE_I64, count)}; }

static void write(Tensor tensor, const void* values, size_t num_bytes) {
  KZ_CHECK(tensor.node->buffer != nullptr && num_bytes == ggml_nbytes(tensor.node));
  ggml_backend_tensor_set(tensor.node, values, 0, num_bytes);
}

void State::set(Tensor tensor, std::span<const float> values) { write(tensor, values.data(), values.size_bytes()); }
void State::set(Tensor tensor, std::span<const int32_t> values) { write(tensor, values.data(), values.size_bytes()); }
void State::set(Tensor tensor, std::span<const int64_t> values) { write(tensor, values.data(), values.size_bytes()); }

Status State::allocate(const Device& device) {
  KZ_CHECK(buffer_ == nullptr);
  if (ggml_get_first_tensor(context_.get()) == nullptr) return ok();
  buffer_.reset(ggml_backend_alloc_ctx_tensors(context_.get(), device.backend()));
  if (!buffer_) return device.fail(ErrorCode::out_of_memory, "can't allocate the memory of a cache");
  clear();
  return ok();
}

void State::clear() {
  if (buffer_) ggml_backend_buffer_clear(buffer_.get(), 0);
}

}  // namespace kazeia
