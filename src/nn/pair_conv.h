// Convolutions by dot products of bf16 pairs (Kernels::conv_pairs) over weights and activations that are stored
// otherwise: both are rounded to bf16, sums stay in f32.
#pragma once
#include <string>

#include "base/huge_buffer.h"
#include "formats/tensor_source.h"
#include "kernels/kernels.h"

namespace kazeia::nn {

// The weights `name`, [taps, out, in] or [out, in] of f32, f16 or bf16, rounded, in the kernels' order.
Result<HugeBuffer> load_pairs(const TensorSource& source, const std::string& name, const ConvShape& shape,
                              const Kernels& kernels);

// As Kernels::conv over contiguous rows x. What each output adds up does not depend on the range.
void conv_of_pairs(const Kernels& kernels, const float* x, const std::byte* w, const float* bias,
                   const ConvShape& shape, const ConvRange& range, const ConvOutput& out);

}  // namespace kazeia::nn
