// Convolutions on the CPU's own kernels: the same meaning as in conv.h, which is their oracle.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/huge_buffer.h"
#include "compute/graph.h"
#include "formats/tensor_source.h"
#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "nn/nn.h"

namespace kazeia::nn {

// What a convolution multiplies. Sums are f32 in any case.
enum class ConvMath {
  f32,
  winograd,  // f32 too, in fewer products: for 7 taps, by compute_tiles() only
  bf16,      // weights and activations rounded to bf16: for CPUs with dot products of those
};

// Whether bf16 suits a convolution of this type: the CPU has the instructions, and the weights are stored in 16 bits.
// Who stores f32 wants f32 results.
bool suits_bf16(DType dtype);

// One convolution's weights in the kernels' order. Graphs refer to it: it must outlive them.
class FusedConv {
 public:
  // Reads `weight` [taps, out, in] or [out, in] in f32, f16 or bf16, and `bias` [out], whose length may divide `out`: a
  // transposed convolution repeats it for each phase. No bias where its name is empty.
  static Result<std::shared_ptr<const FusedConv>> load(const TensorSource& source, const std::string& weight,
                                                       const std::string& bias, ConvMath math);

  const Kernels& kernels() const { return *kernels_; }  // what it is packed for
  int taps() const { return shape_.taps; }
  int in_channels() const { return shape_.in_channels; }
  int out_channels() const { return shape_.out_channels; }
  int num_panels() const { return kazeia::num_panels(shape_.out_channels, kernels_->panel_columns); }

  // A thread's part of num_rows output rows: some of the panels where there are enough of them or few rows, else some
  // of the rows.
  ConvRange share(int num_rows, int thread, int num_threads) const;
  // The same, but rows are those of whole groups of tiles.
  ConvRange share_tiles(int num_rows, const WinogradTiles& tiles, int thread, int num_threads) const;
  // x: [(taps - 1) * dilation + T, in], oldest row first -> the part `range` of [T, out]
  void compute(const float* x, int dilation, const ConvRange& range, const ConvOutput& out) const;
  // The same for ConvMath::winograd. range: rows of whole groups of tiles.
  void compute_tiles(const float* x, const WinogradTiles& tiles, const ConvRange& range, const ConvOutput& out) const;
  // The same as compute() as a node of a graph.
  Tensor apply(Graph& g, Tensor x, int dilation) const;

 private:
  FusedConv() = default;
  Status load_weights(const TensorSource& source, const std::string& name, DType dtype);
  Status load_bias(const TensorSource& source, const std::string& name);
  const float* bias() const { return bias_.empty() ? nullptr : bias_.data(); }
  // Whether there is one output, which would leave a panel nearly empty: the taps then take its columns.
  bool gives_samples() const;
  void compute_samples(const float* x, int dilation, const ConvRange& range, const ConvOutput& out) const;
  bool shares_panels(int num_rows, int num_threads) const;
  static void compute_node(ggml_tensor* dst, int thread, int num_threads, void* self);

  ConvShape shape_;  // without the dilation
  ConvMath math_ = ConvMath::f32;
  ConvType type_ = ConvType::f32;  // of the packed weights of f32 math
  const Kernels* kernels_ = nullptr;
  HugeBuffer packed_;
  std::vector<float> bias_;  // [out] or empty
};

// A snake's parameters as the kernels take them: those of C channels, `repeats` times, as many as a transposed
// convolution has phases.
struct FusedSnake {
  static FusedSnake of(const SnakeWeights& w, int repeats);
  std::vector<float> alpha, inv_beta;  // [repeats * C]; empty where there is no snake
};

}  // namespace kazeia::nn
