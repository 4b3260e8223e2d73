#include "compute/graph.h"

namespace kazeia {

Graph::Graph(int max_nodes) {
  const auto count = static_cast<size_t>(max_nodes);
  const ggml_init_params params = {
      .mem_size = ggml_tensor_overhead() * (count * 2) + ggml_graph_overhead_custom(count, /*grads=*/false),
      .mem_buffer = nullptr,
      .no_alloc = true,
  };
  context_.reset(ggml_init(params));
  KZ_CHECK(context_ != nullptr);
  graph_ = ggml_new_graph_custom(context_.get(), count, /*grads=*/false);
}

static Tensor mark_input(Graph& g, ggml_tensor* node, const char* name) {
  ggml_set_name(node, name);
  ggml_set_input(node);
  // Expanded at once, so that an input that nothing reads still gets memory and may be set.
  ggml_build_forward_expand(g.nodes(), node);
  return {node};
}

Tensor Graph::input(const char* name, DType dtype, const Shape& shape) {
  const GgmlSizes sizes(shape);
  return mark_input(*this, ggml_new_tensor(context(), to_ggml_type(dtype), kMaxDims, sizes.ne), name);
}

Tensor Graph::input_i32(const char* name, int64_t count) {
  return mark_input(*this, ggml_new_tensor_1d(context(), GGML_TYPE_I32, count), name);
}

Tensor Graph::input_i64(const char* name, int64_t count) {
  return mark_input(*this, ggml_new_tensor_1d(context(), GGML_TYPE_I64, count), name);
}

Tensor Graph::output(const char* name, Tensor value) {
  ggml_set_name(value.node, name);
  ggml_set_output(value.node);
  ggml_build_forward_expand(graph_, value.node);
  return value;
}

}  // namespace kazeia
