#include "nn/fused_ops.h"

#include "compute/graph.h"
#include "kernels/kernels.h"

namespace kazeia::nn {
namespace {

// Where a thread's share of `total` begins; the next one's is its end.
int64_t share_begin(int64_t total, int thread, int num_threads) { return total * thread / num_threads; }

const float* floats(const ggml_tensor* t) { return static_cast<const float*>(t->data); }

void compute_gelu(ggml_tensor* y, int thread, int num_threads, void* kernels) {
  const int64_t total = ggml_nelements(y);
  const int64_t begin = share_begin(total, thread, num_threads), end = share_begin(total, thread + 1, num_threads);
  static_cast<const Kernels*>(kernels)->gelu(floats(y->src[0]) + begin, static_cast<float*>(y->data) + begin,
                                             static_cast<int>(end - begin));
}

void compute_depthwise(ggml_tensor* y, int thread, int num_threads, void* kernels) {
  const int64_t channels = y->ne[0];
  const int64_t begin = share_begin(y->ne[1], thread, num_threads),
                end = share_begin(y->ne[1], thread + 1, num_threads);
  static_cast<const Kernels*>(kernels)->depthwise(floats(y->src[0]) + begin * channels, floats(y->src[1]),
                                                  floats(y->src[2]), static_cast<float*>(y->data) + begin * channels,
                                                  static_cast<int>(channels), static_cast<int>(y->src[1]->ne[1]),
                                                  static_cast<int>(end - begin));
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
