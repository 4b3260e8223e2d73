#include "nn/fused_ops.h"

#include "base/thread_pool.h"
#include "compute/graph.h"
#include "kernels/kernels.h"

namespace kazeia::nn {
namespace {

const float* floats(const ggml_tensor* t) { return static_cast<const float*>(t->data); }

void compute_gelu(ggml_tensor* y, int thread, int num_threads, void* kernels) {
  const auto [begin, end] = share_of(static_cast<int>(ggml_nelements(y)), /*unit=*/1, thread, num_threads);
  static_cast<const Kernels*>(kernels)->gelu(floats(y->src[0]) + begin, static_cast<float*>(y->data) + begin,
                                             end - begin);
}

void compute_depthwise(ggml_tensor* y, int thread, int num_threads, void* kernels) {
  const auto channels = static_cast<int>(y->ne[0]), num_taps = static_cast<int>(y->src[1]->ne[1]);
  const auto [begin, end] = share_of(static_cast<int>(y->ne[1]), /*unit=*/1, thread, num_threads);
  const int64_t first = int64_t{begin} * channels;
  static_cast<const Kernels*>(kernels)->depthwise(floats(y->src[0]) + first, floats(y->src[1]), floats(y->src[2]),
                                                  static_cast<float*>(y->data) + first, channels, num_taps,
                                                  end - begin);
}

// args: contiguous f32.
template <size_t N>
Tensor kernel_node(Graph& g, int64_t channels, int64_t num_rows, ggml_tensor* (&args)[N], ggml_custom_op_t compute) {
  for (const ggml_tensor* arg : args) KZ_CHECK(arg->type == GGML_TYPE_F32 && ggml_is_contiguous(arg));
  return {ggml_custom_4d(g.context(), GGML_TYPE_F32, channels, num_rows, 1, 1, args, N, compute, GGML_N_TASKS_MAX,
                         const_cast<Kernels*>(&kernels()))};
}

}  // namespace

Tensor fused_gelu(Graph& g, Tensor x) {
  ggml_tensor* args[] = {x.node};
  return kernel_node(g, x.channels(), x.rows(), args, compute_gelu);
}

Tensor fused_depthwise(Graph& g, Tensor x, Tensor weight, Tensor bias) {
  const int64_t num_rows = x.rows() - weight.rows() + 1;
  KZ_CHECK(num_rows > 0 && x.channels() == weight.channels() && bias.channels() == weight.channels());
  ggml_tensor* args[] = {x.node, weight.node, bias.node};
  return kernel_node(g, x.channels(), num_rows, args, compute_depthwise);
}

}  // namespace kazeia::nn
