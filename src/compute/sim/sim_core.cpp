#include "compute/sim/sim_core.h"

#include <ggml-cpu.h>
#include <ggml-impl.h>

#include "base/result.h"

namespace kazeia::sim {
namespace {

bool is_view(const ggml_tensor* node) {
  return node->op == GGML_OP_NONE || node->op == GGML_OP_RESHAPE || node->op == GGML_OP_VIEW ||
         node->op == GGML_OP_PERMUTE || node->op == GGML_OP_TRANSPOSE;
}

bool is_product(const ggml_tensor* node) { return node->op == GGML_OP_MUL_MAT; }

}  // namespace

double Counters::overhead_ms(const Profile& profile) const {
  const double copied_gb = static_cast<double>(bytes_up + bytes_down) / 1e9;
  return static_cast<double>(graph_calls) * profile.figures.ms_per_call +
         copied_gb / profile.figures.copy_gb_per_s * 1e3;
}

Core::Core(const Profile& profile, const std::string& name, int num_threads)
    : profile_(profile), name_(name), num_threads_(num_threads) {
  fill_interfaces(*this, device_, buffer_type_);
}

ggml_status Core::fail(const std::string& why) {
  counters_.last_error = why;
  return GGML_STATUS_FAILED;
}

// What the device would not do though it was asked to; empty: nothing.
std::string Core::objection(const ggml_tensor* node) const {
  const std::string refused = refusal(profile_, node);
  if (!refused.empty()) return std::string(ggml_op_desc(node)) + ": " + refused;
  const auto is_foreign = [&](const ggml_tensor* value) {
    const ggml_backend_buffer* buffer = value->view_src ? value->view_src->buffer : value->buffer;
    return !buffer || buffer->buft != &buffer_type_;
  };
  for (const ggml_tensor* source : node->src)
    if (source && is_foreign(source)) return std::string(ggml_op_desc(node)) + ": an operand is not in my memory";
  return is_foreign(node) ? std::string(ggml_op_desc(node)) + ": the result is not in my memory" : "";
}

// After a product: the device's rounding, and the fault of one that lies. The result is contiguous.
void Core::finish_product(ggml_tensor* node) const {
  if (!profile_.rounds_to_f16 && faults_.wrong_by == 0) return;
  auto* values = static_cast<float*>(node->data);
  for (int64_t i = 0; i < ggml_nelements(node); ++i) {
    if (profile_.rounds_to_f16) values[i] = ggml_fp16_to_fp32(ggml_fp32_to_fp16(values[i]));
    values[i] *= 1.0F + faults_.wrong_by;
  }
}

ggml_status Core::compute_nodes(ggml_cgraph* graph, int first, int count) {
  ggml_cgraph part = ggml_graph_view(graph, first, first + count);
  return ggml_backend_graph_compute(cpu_.get(), &part);
}

ggml_status Core::compute(ggml_cgraph* graph) {
  ++counters_.graph_calls;
  if (faults_.vanished) return fail("the device is gone");
  if (faults_.fail_call == counters_.graph_calls) return fail("call " + std::to_string(faults_.fail_call) + " failed");
  if (!cpu_) {
    ggml_threadpool_params params = ggml_threadpool_params_default(num_threads_);
    params.poll = 0;  // sleep between graphs
    thread_pool_.reset(ggml_threadpool_new(&params));
    cpu_.reset(ggml_backend_cpu_init());
    if (!thread_pool_ || !cpu_) return fail("can't start the threads that play the device");
    ggml_backend_cpu_set_n_threads(cpu_.get(), num_threads_);
    ggml_backend_cpu_set_threadpool(cpu_.get(), thread_pool_.get());
  }
  const int num_nodes = ggml_graph_n_nodes(graph);
  for (int i = 0; i < num_nodes; ++i) {
    const ggml_tensor* node = ggml_graph_node(graph, i);
    if (is_view(node)) continue;
    if (const std::string why = objection(node); !why.empty()) return fail(why);
    if (observer_) observer_(node);
    ++counters_.nodes;
    ++counters_.ops[ggml_op_desc(node)];
    if (is_product(node)) counters_.multiply_adds += ggml_nelements(node) * node->src[0]->ne[0];
  }
  open_memory(true);
  ggml_status status = GGML_STATUS_SUCCESS;
  int first = 0;  // of the nodes not yet computed
  for (int i = 0; i < num_nodes && status == GGML_STATUS_SUCCESS; ++i) {
    const bool product = is_product(ggml_graph_node(graph, i));
    if (!product && i + 1 < num_nodes) continue;
    status = compute_nodes(graph, first, i + 1 - first);
    if (product && status == GGML_STATUS_SUCCESS) finish_product(ggml_graph_node(graph, i));
    first = i + 1;
  }
  open_memory(false);
  return status;
}

}  // namespace kazeia::sim
