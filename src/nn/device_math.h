// Functions that some devices lack, out of sums, products, quotients, roots and exponentials.
#pragma once
#include "nn/nn.h"

namespace kazeia::nn {

// sin(x)^2, within 1e-4 for |x| <= 100.
Tensor sine_squared(Graph& g, Tensor x);

// nn::gelu within 1e-6 of the larger of 1 and |x|.
Tensor gelu_of_exp(Graph& g, Tensor x);

}  // namespace kazeia::nn
