// Layers without matrices on the CPU's own kernels, as nodes of a graph: the same meaning as in nn.h and conv.h, which
// are their oracle.
#pragma once
#include "compute/tensor.h"

namespace kazeia {
class Graph;
}

namespace kazeia::nn {

// As gelu(): within 2e-7 of the larger of 1 and |x|.
Tensor fused_gelu(Graph& g, Tensor x);

// x: [taps - 1 + T, C], oldest row first; weight: [taps, C] and bias: [C] of f32 -> [T, C]
Tensor fused_depthwise(Graph& g, Tensor x, Tensor weight, Tensor bias);

}  // namespace kazeia::nn
