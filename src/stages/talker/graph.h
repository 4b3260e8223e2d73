// The talker's weights and its graph: a pure function of both.
#pragma once
#include <vector>

#include "compute/graph.h"
#include "nn/kv_cache.h"
#include "nn/nn.h"

namespace kazeia::talker {

struct TalkerWeights {
  std::vector<nn::DecoderLayerWeights> layers;
  Tensor norm;        // [H]
  Tensor codec_head;  // [V, H]
};

// What the talker needs from the model, embeddings and text projection excepted.
std::vector<std::string> weight_names(const TalkerConfig& config, const TensorSource& source);
TalkerWeights talker_weights(const Weights& weights, const TalkerConfig& config);

// One run over num_rows new positions.
struct TalkerGraph {
  nn::AttentionInputs attention;
  Tensor embeddings;           // in: [T, H]
  Tensor hidden;               // out: [1, H], last row after the final norm
  Tensor logits;               // out: [1, V]
  std::vector<Tensor> layers;  // out, if asked: each layer's [T, H], then the final norm's
};

TalkerGraph build(Graph& g, const TalkerWeights& w, const TalkerConfig& config, const nn::KvCache& cache, int num_rows,
                  int slots_in_use, bool keep_layers);

}  // namespace kazeia::talker
