// The weights of a layer stack for graphs, on its device; several graphs share them.
#pragma once
#include <memory>
#include <vector>

#include "nn/layer_stack.h"
#include "nn/nn.h"

namespace kazeia::nn {

class StackWeights {
 public:
  // On a device beside the CPU, matrices that are not quantised become f16.
  static Result<std::shared_ptr<const StackWeights>> load(const StackSpec& spec,
                                                          const std::shared_ptr<const TensorSource>& source,
                                                          const Device& device);

  std::vector<DecoderLayerWeights> layers;
  Tensor input_proj, input_bias;  // empty without
  Tensor norm;
  std::vector<Tensor> heads;

 private:
  explicit StackWeights(Weights tensors) : tensors_(std::move(tensors)) {}
  Weights tensors_;
};

// x: [M, input_width] -> [M, H]: the projection, if any.
Tensor stack_input(Graph& g, Tensor x, const StackWeights& w);
// The last row of x after the final norm: [1, H]
Tensor stack_hidden(Graph& g, Tensor x, const StackWeights& w, const LayerStackConfig& config);

// The type of the caches of keys and values: f16 on a device, whose products need it.
DType cache_type(const Device& device);

}  // namespace kazeia::nn
