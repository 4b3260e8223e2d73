#include "nn/nn.h"

#include "nn/device_math.h"
#include "nn/fused_conv.h"

namespace kazeia::nn {

Tensor linear(Graph& g, Tensor x, const Matrix& matrix, Tensor bias) {
  const Tensor y = matrix.fused ? matrix.fused->apply(g, x, /*dilation=*/1)
                                : Tensor{ggml_mul_mat(g.context(), matrix.weight.node, x.node)};
  return bias ? add(g, y, bias) : y;
}

Tensor last_row(Graph& g, Tensor x) {
  const size_t offset = static_cast<size_t>(x.rows() - 1) * x.node->nb[1];
  return {ggml_view_2d(g.context(), x.node, x.channels(), 1, x.node->nb[1], offset)};
}

Tensor add(Graph& g, Tensor a, Tensor b) { return {ggml_add(g.context(), a.node, b.node)}; }

Tensor mul(Graph& g, Tensor a, Tensor b) { return {ggml_mul(g.context(), a.node, b.node)}; }

Tensor channels_of(Graph& g, Tensor x, int64_t first, int64_t count) {
  const size_t offset = static_cast<size_t>(first) * x.node->nb[0];
  return {ggml_view_2d(g.context(), x.node, count, x.rows(), x.node->nb[1], offset)};
}

Tensor rms_norm(Graph& g, Tensor x, Tensor weight, float eps) {
  return mul(g, {ggml_rms_norm(g.context(), x.node, eps)}, weight);
}

Tensor layer_norm(Graph& g, Tensor x, Tensor weight, Tensor bias, float eps) {
  return add(g, mul(g, {ggml_norm(g.context(), x.node, eps)}, weight), bias);
}

Tensor silu(Graph& g, Tensor x) { return {ggml_silu(g.context(), x.node)}; }

Tensor gelu(Graph& g, Tensor x) { return {ggml_gelu_erf(g.context(), x.node)}; }

Tensor swiglu(Graph& g, Tensor gate, Tensor up) { return {ggml_swiglu_split(g.context(), gate.node, up.node)}; }

Tensor snake(Graph& g, Tensor x, const SnakeWeights& w) {
  const Tensor angle = mul(g, x, w.alpha);
  const Tensor wave = w.way == SnakeWay::sine ? Tensor{ggml_sqr(g.context(), ggml_sin(g.context(), angle.node))}
                                              : sine_squared(g, angle);
  return add(g, x, mul(g, wave, w.inv_beta));
}

}  // namespace kazeia::nn
