// Inside the codec's decoder: the weights of each part with their shapes, and the graph of each part.
// T counts rows: one per frame up to the pre-transformer, then more by each upsampling.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "compute/row_table.h"
#include "formats/model_config.h"
#include "nn/conv.h"
#include "nn/device_rules.h"
#include "nn/kv_cache.h"
#include "stages/codec/decoder.h"

namespace kazeia::codec {

// ---- quantizer (quantizer.cpp): codes -> latent

// The codebooks, read row by row from the file.
class Codebooks {
 public:
  static Result<Codebooks> open(const std::shared_ptr<const TensorSource>& tensors, const CodecConfig& config);

  // Sums the rows of each frame's codes: the first codebook on its own, then all others together.
  // codes: [T, K], each within its codebook -> sums: [T, width()]
  void sum_rows(std::span<const int32_t> codes, std::vector<float>& sums) const;
  int64_t width() const { return tables_.front().width() * (tables_.size() > 1 ? 2 : 1); }

 private:
  std::vector<RowTable> tables_;
};

struct QuantizerWeights {
  Tensor first_proj;  // [codebook_dim, codebook_dim / 2]
  Tensor rest_proj;   // the same; empty if there is only one codebook
};

// sums: [T, codebook_dim], the first codebook's half, then the others' -> [T, codebook_dim]
Tensor quantizer_graph(Graph& g, Tensor sums, const QuantizerWeights& w);

// ---- pre-transformer (pre_transformer.cpp)

struct PreTransformerWeights {
  nn::ConvWeights input_proj;  // [H, latent]
  std::vector<nn::DecoderLayerWeights> layers;
  Tensor norm;                  // [H]
  nn::ConvWeights output_proj;  // [latent, H]
};

// x: [T, latent] -> [T, latent]
Tensor pre_transformer_graph(Graph& g, Tensor x, const PreTransformerWeights& w, const LayerStackConfig& config,
                             const nn::AttentionInputs& in, const nn::KvCache& cache);

// ---- upsampling (upsampler.cpp)

struct UpsampleWeights {
  nn::ConvWeights conv;                       // transposed: [1, ratio * C, C]
  nn::DepthwiseWeights depthwise;             // [7, C]
  Tensor norm, norm_bias;                     // [C]
  nn::ConvWeights pwconv1;                    // [4 * C, C]
  nn::ConvWeights pwconv2;                    // [C, 4 * C]
  Tensor gamma;                               // [C]
  Tensor (*gelu)(Graph&, Tensor) = nn::gelu;  // or one with the same meaning
};

// x: [T, C] -> [T * ratio, C]
Tensor upsample_graph(Graph& g, Tensor x, const UpsampleWeights& w, int ratio, nn::StreamState& past);

// ---- wave decoder (wave_decoder.cpp)

inline constexpr std::array<int, 3> kUnitDilations = {1, 3, 9};

struct ResidualUnitWeights {
  nn::SnakeWeights snake1, snake2;
  nn::ConvWeights dilated;    // [7, C, C]
  nn::ConvWeights pointwise;  // [C, C]
};

struct WaveBlockWeights {
  nn::SnakeWeights snake;    // [2 * C]
  nn::ConvWeights upsample;  // transposed: [2, rate * C, 2 * C]
  std::array<ResidualUnitWeights, kUnitDilations.size()> units;
};

// x: [T, 2 * C] -> [T * rate, C]
Tensor wave_block_graph(Graph& g, Tensor x, const WaveBlockWeights& w, int rate, nn::StreamState& past);

struct WaveOutputWeights {
  nn::SnakeWeights snake;
  nn::ConvWeights conv;  // [7, 1, C]
};

// x: [T, C] -> samples [T, 1], not yet clamped to [-1, 1]
Tensor wave_output_graph(Graph& g, Tensor x, const WaveOutputWeights& w, nn::StreamState& past);

// ---- all weights (weights.cpp)

struct CodecWeights {
  QuantizerWeights quantizer;
  nn::ConvWeights pre_conv;  // [3, latent, codebook_dim]
  PreTransformerWeights pre_transformer;
  std::vector<UpsampleWeights> upsample;
  nn::ConvWeights wave_conv;  // [7, decoder_dim, latent]
  std::vector<WaveBlockWeights> wave_blocks;
  WaveOutputWeights wave_output;
};

// The decoder has two halves, which may lie on two devices: up to the upsampling, and the wave decoder.
enum class Half { front, wave };

inline bool is_fused(CodecLowering lowering) {
  return lowering == CodecLowering::fused || lowering == CodecLowering::fused_bf16;
}

struct HalfWeights {
  CodecLowering lowering;  // not `automatic`
  nn::DeviceRules rules;   // of the `device` lowering; else those of a device without limits
  Weights tensors;
};

// All tensors of a half but the codebooks, which stay in the file, and, in the fused lowerings, what the CPU's kernels
// take. Errors name a tensor that is missing, or whose shape or type is not what the config demands.
Result<HalfWeights> load_half(Half half, const std::shared_ptr<const TensorSource>& tensors, const CodecConfig& config,
                              const Device& device, CodecLowering lowering);

// The tensors belong to the halves; what those do not have of products and convolutions is packed for the CPU's
// kernels.
Result<CodecWeights> codec_weights(const HalfWeights& front, const HalfWeights& wave_half, const TensorSource& tensors,
                                   const CodecConfig& config);

}  // namespace kazeia::codec
