// Causal convolutions as functions that add nodes to a Graph. Activations are [T, C] as in nn.h.
//
// All of them are sums of matmuls or products over shifted rows: tap k of a kernel reads the rows k * dilation later
// than tap 0, which reads the oldest. There is no im2col and no padding: what lies left of the first row comes from the
// StreamState, which is left holding what the next call needs.
#pragma once
#include "nn/fused_conv.h"
#include "nn/nn.h"
#include "nn/stream_state.h"

namespace kazeia::nn {

// One meaning, two lowerings: graph nodes that every device has, or, where `fused` is set, one node that runs the CPU's
// own kernel (fused_conv.h).
struct ConvWeights {
  Tensor weight;                           // see each layer; tap 0 is the oldest
  Tensor bias;                             // [out]
  std::shared_ptr<const FusedConv> fused;  // instead of both

  int64_t taps() const { return fused ? fused->taps() : weight.node->ne[2]; }
  int64_t out_channels() const { return fused ? fused->out_channels() : weight.rows(); }
};

struct DepthwiseWeights {
  Tensor weight;       // [taps, C]; tap 0 is the oldest
  Tensor bias;         // [C]
  bool fused = false;  // by the CPU's own kernel (fused_ops.h)
};

// Rows first .. first + count - 1 of x: [T, C] -> [count, C], a view.
Tensor rows_of(Graph& g, Tensor x, int64_t first, int64_t count);
// The rows of a, then those of b: [Ta, C], [Tb, C] -> [Ta + Tb, C], a copy.
Tensor append_rows(Graph& g, Tensor a, Tensor b);

// x: [T, in], weight: [out, in] -> [T, out]
Tensor pointwise_conv(Graph& g, Tensor x, const ConvWeights& w);

// y[t] = bias + sum over k of weight[k] * x[t - (taps - 1 - k) * dilation]
// x: [T, in], weight: [taps, out, in] -> [T, out].  Qwen3TTSTokenizerV2CausalConvNet, stride 1
Tensor causal_conv(Graph& g, Tensor x, const ConvWeights& w, int dilation, StreamState& past);

// The same for each channel on its own.  x: [T, C], weight: [taps, C] -> [T, C]
Tensor causal_depthwise_conv(Graph& g, Tensor x, const DepthwiseWeights& w, StreamState& past);

// Upsampling by stride. A transposed convolution whose kernel has taps * stride entries is a causal convolution with
// `taps` taps that computes the `stride` rows belonging to one input row at once; a reshape takes them apart.
// x: [T, in], weight: [taps, stride * out, in] -> [T * stride, out].  Qwen3TTSTokenizerV2CausalTransConvNet
Tensor causal_transposed_conv(Graph& g, Tensor x, const ConvWeights& w, int stride, StreamState& past);

}  // namespace kazeia::nn
