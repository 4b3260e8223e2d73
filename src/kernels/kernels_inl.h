// The kernels, written once. Included by each isa/*.cpp inside a namespace of its own, after it has defined:
//   kWidth               floats in a vector
//   kTileRows            rows of a convolution tile, and
//   kPanelVectors        its columns in vectors; kTileRows * kPanelVectors + kPanelVectors + 1 vectors fit into the
//                        registers, and the product is large enough to hide the latency of multiply-adds
//   dot4(acc, w, x)      acc[i] += sum over the 4 bytes of lane i of (q + kDotBias) * x; w: bytes q + 128 as they are
//                        packed, x: signed bytes (the same 4 in each lane)
//   kDotBias             128 where dot4 takes the packed bytes as they are, 0 where it makes them signed
//   add_nibbles(acc, both, even, odd)  adds the products of the low nibbles of `both` with the quad `even` and of the
//                        high ones with `odd`, to be called at most 4 times on one acc; finish_nibbles(acc) makes it
//                        the sum
//   half_to_float(p)     kWidth f16 values -> floats
//   bfloat_to_float(p)   kWidth bf16 values -> floats
// Formulas: kernels.h.

using F = VecTypes<kWidth>::F;
using I = VecTypes<kWidth>::I;

// Each builds on those before.
// clang-format off
#include "kernels/matmul_inl.h"
#include "kernels/elementwise_inl.h"
#include "kernels/attention_inl.h"
#include "kernels/conv_inl.h"
#include "kernels/pair_conv_inl.h"
#include "kernels/winograd_inl.h"
// clang-format on

inline constexpr Kernels make_table(const char* isa) {
  return {isa,
          kPanelColumns,
          conv,
          winograd_inputs,
          winograd_outputs,
          depthwise,
          snake,
          quantize,
          matmul<PackedQ8>,
          matmul<PackedQ4>,
          dot,
          dot_rows,
          add_scaled,
          add_rows,
          swiglu,
          gelu,
          softmax_exp,
          round_row<WidenedPairs>,
          conv_pairs<WidenedPairs>};
}
