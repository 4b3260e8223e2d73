#include "nn/nn.h"

namespace kazeia::nn {
namespace {

constexpr const char* kRequired[] = {"input_norm",          "q_proj",    "k_proj",  "v_proj",   "o_proj",
                                     "post_attention_norm", "gate_proj", "up_proj", "down_proj"};
constexpr const char* kOptional[] = {"q_norm", "k_norm", "attention_scale", "mlp_scale"};

}  // namespace

std::vector<std::string> decoder_layer_names(const TensorSource& source, const std::string& prefix) {
  std::vector<std::string> names;
  for (const char* name : kRequired) names.push_back(prefix + name + ".weight");
  for (const char* name : kOptional)
    if (source.find(prefix + name + ".weight")) names.push_back(prefix + name + ".weight");
  return names;
}

DecoderLayerWeights decoder_layer_weights(const Weights& weights, const std::string& prefix) {
  return *decoder_layer_weights(weights, prefix,
                                [&](const std::string& name) -> Result<Matrix> { return Matrix(weights.get(name)); });
}

Result<DecoderLayerWeights> decoder_layer_weights(const Weights& weights, const std::string& prefix,
                                                  const FindMatrix& find_matrix) {
  const auto required = [&](const char* name) { return weights.get(prefix + name + ".weight"); };
  const auto optional = [&](const char* name) { return weights.find(prefix + name + ".weight"); };
  const auto matrix = [&](const char* name) { return find_matrix(prefix + name + ".weight"); };
  DecoderLayerWeights w;
  w.input_norm = required("input_norm");
  w.post_attention_norm = required("post_attention_norm");
  KZ_TRY(w.attention.q_proj, matrix("q_proj"));
  KZ_TRY(w.attention.k_proj, matrix("k_proj"));
  KZ_TRY(w.attention.v_proj, matrix("v_proj"));
  KZ_TRY(w.attention.o_proj, matrix("o_proj"));
  w.attention.q_norm = optional("q_norm");
  w.attention.k_norm = optional("k_norm");
  KZ_TRY(w.gate_proj, matrix("gate_proj"));
  KZ_TRY(w.up_proj, matrix("up_proj"));
  KZ_TRY(w.down_proj, matrix("down_proj"));
  w.attention_scale = optional("attention_scale");
  w.mlp_scale = optional("mlp_scale");
  return w;
}

Tensor decoder_layer(Graph& g, Tensor x, const DecoderLayerWeights& w, const LayerStackConfig& config,
                     const AttentionInputs& in, const KvLayer& cache) {
  Tensor y = rms_norm(g, x, w.input_norm, config.rms_norm_eps);
  y = attention(g, y, w.attention, config, in, cache);
  if (w.attention_scale) y = mul(g, y, w.attention_scale);
  x = add(g, x, y);

  y = rms_norm(g, x, w.post_attention_norm, config.rms_norm_eps);
  y = linear(g, swiglu(g, linear(g, y, w.gate_proj), linear(g, y, w.up_proj)), w.down_proj);
  if (w.mlp_scale) y = mul(g, y, w.mlp_scale);
  return add(g, x, y);
}

}  // namespace kazeia::nn
