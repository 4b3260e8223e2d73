// Convolutions and snakes on the CPU's own kernels: the same meaning as in conv.h and nn.h, which are their oracles.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/huge_buffer.h"
#include "compute/graph.h"
#include "formats/tensor_source.h"
#include "kernels/kernels.h"

namespace kazeia::nn {

// One convolution's weights in the kernels' order. Graphs refer to it: it must outlive them.
class FusedConv {
 public:
  // Reads `weight` [taps, out, in] or [out, in] in f32, f16 or bf16, and `bias` [out], whose length may divide `out`: a
  // transposed convolution repeats it for each phase.
  static Result<std::shared_ptr<const FusedConv>> load(const TensorSource& source, const std::string& weight,
                                                       const std::string& bias);

  int taps() const { return shape_.taps; }
  int in_channels() const { return shape_.in_channels; }
  int out_channels() const { return shape_.out_channels; }

  // x: [(taps - 1) * dilation + T, in], oldest row first -> [T, out]
  Tensor apply(Graph& g, Tensor x, int dilation) const;

 private:
  FusedConv() = default;
  static void compute(ggml_tensor* dst, int thread, int num_threads, void* self);

  ConvShape shape_;  // without the dilation
  ConvType type_ = ConvType::f32;
  const Kernels* kernels_ = nullptr;
  HugeBuffer packed_;
  std::vector<float> bias_;  // [out]
};

// x + inv_beta * sin(alpha * x)^2 per channel, in one pass.  x: [T, C]; alpha, inv_beta: [C] -> [T, C]
Tensor fused_snake(Graph& g, Tensor x, Tensor alpha, Tensor inv_beta);

}  // namespace kazeia::nn
