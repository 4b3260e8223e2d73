#include "nn/conv.h"

#include "nn/fused_ops.h"

namespace kazeia::nn {
namespace {

// The left context of num_rows rows, then x: [num_rows + T, C]. Its last rows become the next context.
Tensor with_left_context(Graph& g, Tensor x, int64_t num_rows, StreamState& past) {
  if (num_rows == 0) return x;
  const Tensor context = past.next_context(num_rows, x.channels());
  const Tensor extended = append_rows(g, context, x);
  // The concatenation is a copy, so nothing reads the old context any more.
  g.run_now({ggml_cpy(g.context(), rows_of(g, extended, x.rows(), num_rows).node, context.node)});
  return extended;
}

// x: [(taps - 1) * dilation + T, in], weight: [taps, out, in] -> [T, out]
Tensor sum_of_taps(Graph& g, Tensor x, Tensor weight, int dilation) {
  ggml_context* ctx = g.context();
  const ggml_tensor* w = weight.node;
  const int64_t num_taps = w->ne[2];
  const int64_t num_rows = x.rows() - (num_taps - 1) * dilation;
  Tensor sum;
  for (int64_t tap = 0; tap < num_taps; ++tap) {
    const size_t offset = static_cast<size_t>(tap) * w->nb[2];
    const Tensor matrix{ggml_view_2d(ctx, weight.node, w->ne[0], w->ne[1], w->nb[1], offset)};
    const Tensor part = linear(g, rows_of(g, x, tap * dilation, num_rows), matrix);
    sum = sum ? add(g, sum, part) : part;
  }
  return sum;
}

}  // namespace

Tensor rows_of(Graph& g, Tensor x, int64_t first, int64_t count) {
  const size_t stride = x.node->nb[1];
  return {ggml_view_2d(g.context(), x.node, x.channels(), count, stride, static_cast<size_t>(first) * stride)};
}

Tensor append_rows(Graph& g, Tensor a, Tensor b) {
  ggml_context* ctx = g.context();
  // Time as the third dimension, because that is the one which ggml's CPU concat splits among threads.
  const auto time_third = [&](Tensor t) { return ggml_reshape_3d(ctx, t.node, t.channels(), 1, t.rows()); };
  ggml_tensor* joined = ggml_concat(ctx, time_third(a), time_third(b), 2);
  return {ggml_reshape_2d(ctx, joined, a.channels(), a.rows() + b.rows())};
}

Tensor pointwise_conv(Graph& g, Tensor x, const ConvWeights& w) {
  return w.fused ? w.fused->apply(g, x, /*dilation=*/1) : linear(g, x, w.weight, w.bias);
}

Tensor causal_conv(Graph& g, Tensor x, const ConvWeights& w, int dilation, StreamState& past) {
  x = with_left_context(g, x, (w.taps() - 1) * dilation, past);
  if (w.fused) return w.fused->apply(g, x, dilation);
  return add(g, sum_of_taps(g, x, w.weight, dilation), w.bias);
}

Tensor causal_depthwise_conv(Graph& g, Tensor x, const DepthwiseWeights& w, StreamState& past) {
  const int64_t num_taps = w.weight.rows();
  const int64_t num_rows = x.rows();
  x = with_left_context(g, x, num_taps - 1, past);
  if (w.fused) return fused_depthwise(g, x, w.weight, w.bias);
  Tensor sum;
  for (int64_t tap = 0; tap < num_taps; ++tap) {
    const Tensor part = mul(g, rows_of(g, x, tap, num_rows), rows_of(g, w.weight, tap, 1));
    sum = sum ? add(g, sum, part) : part;
  }
  return add(g, sum, w.bias);
}

Tensor causal_transposed_conv(Graph& g, Tensor x, const ConvWeights& w, int stride, StreamState& past) {
  const int64_t num_out = w.out_channels() / stride;
  const int64_t num_rows = x.rows() * stride;
  x = with_left_context(g, x, w.taps() - 1, past);
  const auto take_apart = [&](Tensor y) { return Tensor{ggml_reshape_2d(g.context(), y.node, num_out, num_rows)}; };
  if (w.fused) return take_apart(w.fused->apply(g, x, /*dilation=*/1));
  return add(g, take_apart(sum_of_taps(g, x, w.weight, /*dilation=*/1)), w.bias);
}

}  // namespace kazeia::nn
