#include "stages/talker/graph.h"

namespace kazeia::talker {
namespace {

std::string layer_prefix(int layer) { return "talker.layers." + std::to_string(layer) + "."; }

}  // namespace

std::vector<std::string> weight_names(const TalkerConfig& config, const TensorSource& source) {
  std::vector<std::string> names = {"talker.norm.weight", "talker.codec_head.weight"};
  for (int i = 0; i < config.stack.num_layers; ++i)
    for (const std::string& name : nn::decoder_layer_names(source, layer_prefix(i))) names.push_back(name);
  return names;
}

TalkerWeights talker_weights(const Weights& weights, const TalkerConfig& config) {
  TalkerWeights w{
      .layers = {}, .norm = weights.get("talker.norm.weight"), .codec_head = weights.get("talker.codec_head.weight")};
  for (int i = 0; i < config.stack.num_layers; ++i)
    w.layers.push_back(nn::decoder_layer_weights(weights, layer_prefix(i)));
  return w;
}

TalkerGraph build(Graph& g, const TalkerWeights& w, const TalkerConfig& config, const nn::KvCache& cache, int num_rows,
                  int slots_in_use, bool keep_layers) {
  const LayerStackConfig& stack = config.stack;
  TalkerGraph t;
  t.attention = cache.inputs(g, num_rows, slots_in_use);
  t.embeddings = g.input("embeddings", DType::f32, {num_rows, stack.hidden_size});
  Tensor x = t.embeddings;
  for (int i = 0; i < stack.num_layers; ++i) {
    x = nn::decoder_layer(g, x, w.layers[static_cast<size_t>(i)], stack, t.attention, cache.layer(i));
    if (keep_layers) t.layers.push_back(g.output("layer", x));
  }
  if (keep_layers) t.layers.push_back(g.output("norm", nn::rms_norm(g, x, w.norm, stack.rms_norm_eps)));
  // Only the last position speaks.
  t.hidden = g.output("hidden", nn::rms_norm(g, nn::last_row(g, x), w.norm, stack.rms_norm_eps));
  t.logits = g.output("logits", nn::linear(g, t.hidden, w.codec_head));
  return t;
}

}  // namespace kazeia::talker
