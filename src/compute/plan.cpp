#include "compute/plan.h"

#include <algorithm>
#include <set>

namespace kazeia {
namespace {

// Bytes of the matrix that a product reads; 0 for all other nodes.
int64_t matrix_bytes(const ggml_tensor* node) {
  return node->op == GGML_OP_MUL_MAT ? static_cast<int64_t>(ggml_nbytes(node->src[0])) : 0;
}

int num_nodes(const Graph& graph) { return ggml_graph_n_nodes(graph.nodes()); }

// Memory that a node writes and that existed before the graph: a cache, a left context.
bool writes_state(const ggml_tensor* node) {
  return node->buffer != nullptr || (node->view_src != nullptr && node->view_src->buffer != nullptr);
}

Error refused(const Device& device, const ggml_tensor* node, const std::string& consequence) {
  const std::string name = node->name;
  return Error{ErrorCode::unsupported, device.rules().part + (device.rules().part.empty() ? "" : ": ") + device.name() +
                                           " refuses " + op_name(node) + (name.empty() ? "" : " \"" + name + "\"") +
                                           ": " + describe_node(node) + ": " + device.refusal(node) + consequence};
}

}  // namespace

Result<Plan> Plan::create(std::shared_ptr<Device> device, Graph graph) {
  Plan plan(std::move(device), std::move(graph));
  ++plan.device_->coverage().num_graphs;
  const int64_t num_refused = plan.note_refused();
  KZ_RETURN_IF_ERROR(num_refused == 0 ? plan.allocate() : plan.allocate_split());
  return plan;
}

int64_t Plan::note_refused() const {
  if (!device_->is_remote()) return 0;
  int64_t count = 0;
  for (int i = 0; i < num_nodes(graph_); ++i) {
    const ggml_tensor* node = ggml_graph_node(graph_.nodes(), i);
    const std::string reason = device_->refusal(node);
    if (reason.empty()) continue;
    device_->coverage().refuse(node, reason);
    ++count;
  }
  return count;
}

Status Plan::allocate() {
  Coverage& coverage = device_->coverage();
  int64_t macs = 0, nodes = 0, bytes = 0;
  for (int i = 0; i < num_nodes(graph_); ++i) {
    const ggml_tensor* node = ggml_graph_node(graph_.nodes(), i);
    nodes += is_view(node) ? 0 : 1;
    macs += multiply_adds(node);
    bytes += matrix_bytes(node);
  }
  (device_->is_remote() ? coverage.device_nodes : coverage.cpu_nodes) += nodes;
  (device_->is_remote() ? cost_.device_macs : cost_.cpu_macs) = macs;
  cost_.device_calls = device_->is_remote() ? 1 : 0;
  cost_.device_matrix_bytes = device_->is_remote() ? bytes : 0;
  if (device_->is_remote()) {
    KZ_TRY(InputPack inputs, InputPack::create(*device_, graph_));
    inputs_ = std::make_unique<InputPack>(std::move(inputs));
  }
  allocator_.reset(ggml_gallocr_new(device_->buffer_type()));
  if (!allocator_ || !ggml_gallocr_alloc_graph(allocator_.get(), graph_.nodes()))
    return device_->fail(ErrorCode::out_of_memory, "can't allocate the memory of a graph");
  return ok();
}

Status Plan::allocate_split() {
  std::vector<std::vector<ggml_tensor*>> sources;  // of each node, before the scheduler puts copies in their places
  for (int i = 0; i < num_nodes(graph_); ++i) {
    const ggml_tensor* node = ggml_graph_node(graph_.nodes(), i);
    sources.emplace_back(std::begin(node->src), std::end(node->src));
    if (device_->supports(node)) continue;
    if (device_->is_strict()) return refused(*device_, node, "");
    // ggml's scheduler would abort: the memory can't move, and only the device may write to it.
    if (writes_state(node)) return refused(*device_, node, ", and the CPU can't do it in the device's memory");
  }
  KZ_TRY(ggml_backend* const cpu, device_->helper());
  ggml_backend* backends[] = {device_->backend(), cpu};  // the last takes what no other can
  const auto graph_size = static_cast<size_t>(2 * ggml_graph_size(graph_.nodes()));
  scheduler_.reset(ggml_backend_sched_new(backends, /*bufts=*/nullptr, 2, graph_size, /*parallel=*/false,
                                          /*op_offload=*/false));
  if (!scheduler_) return device_->fail(ErrorCode::out_of_memory, "can't allocate a scheduler");
  // Left alone, the scheduler would keep what has no weights where its inputs come from, on the CPU.
  for (int i = 0; i < num_nodes(graph_); ++i) {
    ggml_tensor* node = ggml_graph_node(graph_.nodes(), i);
    if (is_view(node)) continue;
    ggml_backend_sched_set_tensor_backend(scheduler_.get(), node, device_->supports(node) ? device_->backend() : cpu);
  }
  if (!ggml_backend_sched_alloc_graph(scheduler_.get(), graph_.nodes()))
    return device_->fail(ErrorCode::out_of_memory, "can't allocate the memory of a graph");
  count_split(sources);
  return ok();
}

void Plan::count_split(const std::vector<std::vector<ggml_tensor*>>& sources_before) {
  Coverage& coverage = device_->coverage();
  std::set<const ggml_tensor*> copies;
  bool device_before = false;
  for (int i = 0; i < num_nodes(graph_); ++i) {
    ggml_tensor* node = ggml_graph_node(graph_.nodes(), i);
    if (is_view(node)) continue;
    const bool on_device = ggml_backend_sched_get_tensor_backend(scheduler_.get(), node) == device_->backend();
    ++(on_device ? coverage.device_nodes : coverage.cpu_nodes);
    (on_device ? cost_.device_macs : cost_.cpu_macs) += multiply_adds(node);
    cost_.device_matrix_bytes += on_device ? matrix_bytes(node) : 0;
    if (on_device && !device_before) ++cost_.device_calls;
    device_before = on_device;
    const std::vector<ggml_tensor*>& before = sources_before[static_cast<size_t>(i)];
    for (size_t k = 0; k < before.size(); ++k) {
      if (node->src[k] == before[k] || !copies.insert(node->src[k]).second) continue;
      ++(on_device ? cost_.copies_up : cost_.copies_down);
      (on_device ? cost_.bytes_up : cost_.bytes_down) += static_cast<int64_t>(ggml_nbytes(before[k]));
    }
  }
}

bool Plan::lies_on_device(Tensor tensor) const {
  const ggml_backend_buffer* buffer = tensor.node->view_src ? tensor.node->view_src->buffer : tensor.node->buffer;
  return device_->is_remote() &&
         ggml_backend_buffer_get_type(const_cast<ggml_backend_buffer*>(buffer)) == device_->buffer_type();
}

void Plan::upload(Tensor tensor, const void* data, size_t num_bytes) {
  if (inputs_) return inputs_->set(tensor, data, num_bytes);
  KZ_CHECK(num_bytes == ggml_nbytes(tensor.node));
  ggml_backend_tensor_set(tensor.node, data, 0, num_bytes);
  if (!lies_on_device(tensor)) return;
  ++device_->coverage().uploads;
  device_->coverage().bytes_up += static_cast<int64_t>(num_bytes);
}

void Plan::download(Tensor tensor, void* data, size_t num_bytes) const {
  KZ_CHECK(num_bytes == ggml_nbytes(tensor.node));
  ggml_backend_tensor_get(tensor.node, data, 0, num_bytes);
  if (!lies_on_device(tensor)) return;
  ++device_->coverage().downloads;
  device_->coverage().bytes_down += static_cast<int64_t>(num_bytes);
}

void Plan::set(Tensor input, std::span<const float> values) { upload(input, values.data(), values.size_bytes()); }
void Plan::set(Tensor input, std::span<const int32_t> values) { upload(input, values.data(), values.size_bytes()); }
void Plan::set(Tensor input, std::span<const int64_t> values) { upload(input, values.data(), values.size_bytes()); }
void Plan::get(Tensor output, std::span<float> values) const { download(output, values.data(), values.size_bytes()); }
void Plan::get(Tensor output, std::span<int32_t> values) const { download(output, values.data(), values.size_bytes()); }

Status Plan::run() {
  Coverage& coverage = device_->coverage();
  if (inputs_) {
    const size_t num_bytes = inputs_->upload();
    coverage.uploads += num_bytes > 0 ? 1 : 0;
    coverage.bytes_up += static_cast<int64_t>(num_bytes);
  }
  const ggml_status status = scheduler_ ? ggml_backend_sched_graph_compute(scheduler_.get(), graph_.nodes())
                                        : ggml_backend_graph_compute(device_->backend(), graph_.nodes());
  coverage.device_calls += cost_.device_calls;
  coverage.uploads += cost_.copies_up;
  coverage.downloads += cost_.copies_down;
  coverage.bytes_up += cost_.bytes_up;
  coverage.bytes_down += cost_.bytes_down;
  coverage.device_macs += cost_.device_macs;
  coverage.cpu_macs += cost_.cpu_macs;
  coverage.device_matrix_bytes += cost_.device_matrix_bytes;
  if (status == GGML_STATUS_SUCCESS) return ok();
  if (status == GGML_STATUS_ALLOC_FAILED)
    return device_->fail(ErrorCode::out_of_memory, "out of memory while computing");
  return device_->fail(ErrorCode::device, std::string("computing failed: ") + ggml_status_to_string(status));
}

}  // namespace kazeia
