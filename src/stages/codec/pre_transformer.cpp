// Source: Qwen3TTSTokenizerV2DecoderTransformerModel (modeling_qwen3_tts_tokenizer_v2.py:476-575).
#include "stages/codec/internal.h"

namespace kazeia::codec {

Tensor pre_transformer_graph(Graph& g, Tensor x, const PreTransformerWeights& w, const LayerStackConfig& config,
                             const nn::AttentionInputs& in, const nn::KvCache& cache) {
  x = nn::pointwise_conv(g, x, w.input_proj);
  for (int i = 0; i < config.num_layers; ++i)
    x = nn::decoder_layer(g, x, w.layers[static_cast<size_t>(i)], config, in, cache.layer(i));
  x = nn::rms_norm(g, x, w.norm, config.rms_norm_eps);
  return nn::pointwise_conv(g, x, w.output_proj);
}

}  // namespace kazeia::codec
