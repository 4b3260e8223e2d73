#include "compute/plan.h"

namespace kazeia {
namespace {

void upload(Tensor tensor, const void* data, size_t num_bytes) {
  KZ_CHECK(num_bytes == ggml_nbytes(tensor.node));
  ggml_backend_tensor_set(tensor.node, data, 0, num_bytes);
}

}  // namespace

Result<Plan> Plan::create(std::shared_ptr<Device> device, Graph graph) {
  Plan plan(std::move(device), std::move(graph));
  plan.allocator_.reset(ggml_gallocr_new(plan.device_->buffer_type()));
  if (!plan.allocator_ || !ggml_gallocr_alloc_graph(plan.allocator_.get(), plan.graph_.nodes()))
    return Error{ErrorCode::out_of_memory, plan.device_->name() + ": can't allocate the memory of a graph"};
  return plan;
}

void Plan::set(Tensor input, std::span<const float> values) { upload(input, values.data(), values.size_bytes()); }
void Plan::set(Tensor input, std::span<const int32_t> values) { upload(input, values.data(), values.size_bytes()); }
void Plan::set(Tensor input, std::span<const int64_t> values) { upload(input, values.data(), values.size_bytes()); }

void Plan::get(Tensor output, std::span<float> values) const {
  KZ_CHECK(values.size_bytes() == ggml_nbytes(output.node));
  ggml_backend_tensor_get(output.node, values.data(), 0, values.size_bytes());
}

Status Plan::run() {
  const ggml_status status = ggml_backend_graph_compute(device_->backend(), graph_.nodes());
  if (status == GGML_STATUS_SUCCESS) return ok();
  if (status == GGML_STATUS_ALLOC_FAILED)
    return Error{ErrorCode::out_of_memory, device_->name() + ": out of memory while computing"};
  return Error{ErrorCode::device, device_->name() + ": computing failed: " + ggml_status_to_string(status)};
}

}  // namespace kazeia
