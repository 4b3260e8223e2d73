// Frame rate to a few times that. Source: one pair of Qwen3TTSTokenizerV2Decoder.upsample, that is a CausalTransConvNet
// whose kernel equals its stride and a ConvNeXtBlock (modeling_qwen3_tts_tokenizer_v2.py:195-230).
#include "stages/codec/internal.h"

namespace kazeia::codec {

// Of the block's LayerNorm; the official config has no key for it.
static constexpr float kLayerNormEps = 1e-6F;

Tensor upsample_graph(Graph& g, Tensor x, const UpsampleWeights& w, int ratio, nn::StreamState& past) {
  x = nn::causal_transposed_conv(g, x, w.conv, ratio, past);

  Tensor y = nn::causal_depthwise_conv(g, x, w.depthwise, past);
  y = nn::layer_norm(g, y, w.norm, w.norm_bias, kLayerNormEps);
  y = nn::pointwise_conv(g, y, w.pwconv1);
  y = w.gelu(g, y);
  y = nn::pointwise_conv(g, y, w.pwconv2);
  return nn::add(g, x, nn::mul(g, y, w.gamma));
}

}  // namespace kazeia::codec
