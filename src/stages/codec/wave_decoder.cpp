// Upsamples the latent signal to the waveform. Source: Qwen3TTSTokenizerV2DecoderDecoderBlock, -ResidualUnit and the
// end of Qwen3TTSTokenizerV2Decoder.forward (modeling_qwen3_tts_tokenizer_v2.py:612-658, 869-885).
#include "stages/codec/internal.h"

namespace kazeia::codec {

// x: [T, C] -> [T, C]
static Tensor residual_unit(Graph& g, Tensor x, const ResidualUnitWeights& w, int dilation, nn::StreamState& past) {
  Tensor y = nn::snake(g, x, w.snake1);
  y = nn::causal_conv(g, y, w.dilated, dilation, past);
  y = nn::snake(g, y, w.snake2);
  y = nn::pointwise_conv(g, y, w.pointwise);
  return nn::add(g, x, y);
}

Tensor wave_block_graph(Graph& g, Tensor x, const WaveBlockWeights& w, int rate, nn::StreamState& past) {
  x = nn::snake(g, x, w.snake);
  x = nn::causal_transposed_conv(g, x, w.upsample, rate, past);
  for (size_t i = 0; i < w.units.size(); ++i) x = residual_unit(g, x, w.units[i], kUnitDilations[i], past);
  return x;
}

Tensor wave_output_graph(Graph& g, Tensor x, const WaveOutputWeights& w, nn::StreamState& past) {
  x = nn::snake(g, x, w.snake);
  return nn::causal_conv(g, x, w.conv, /*dilation=*/1, past);
}

}  // namespace kazeia::codec
