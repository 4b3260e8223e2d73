// All codes of a frame in one graph: the code predictor's steps one after the other, each code drawn on the device and
// fed to the next step. A device then gets one call a frame instead of one for each code.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/codes.h"
#include "nn/kv_cache.h"
#include "nn/stack_weights.h"
#include "sampling/graph_sampler.h"
#include "stages/code_predictor/code_tables.h"

namespace kazeia {

struct FrameGraphSpec {
  nn::StackSpec stack;
  std::vector<std::string> embeddings;  // tables of groups 1, 2, ..: [vocab, input_width]
  int vocab_size = 0;
};

class FrameGraph {
 public:
  // Unsupported, with the reason, if the device lacks an operation.
  static Result<std::unique_ptr<FrameGraph>> create(const FrameGraphSpec& spec,
                                                    std::shared_ptr<const nn::StackWeights> weights,
                                                    const std::shared_ptr<const TensorSource>& source,
                                                    std::shared_ptr<Device> device, const SamplingDefaults& options);

  // Why the graph can't draw by these options; empty if it can.
  static std::string refusal(const SamplingDefaults& options);

  // rows: [2, input_width], the talker's state and the semantic code's embedding. Fills frame.codes[1..]; draws with
  // the keys {seed, frame_index, group}. False if a score was not finite: the codes mean nothing then.
  Result<bool> run(std::span<const float> rows, const SamplingDefaults& options, uint64_t seed, uint32_t frame_index,
                   CodeFrame& frame);

 private:
  struct Built {
    Tensor rows;                // in
    std::vector<Tensor> noise;  // in: [1, V] for each code; rows of their own, see InputPack
    Tensor result;              // out: [1, K]: the countdown of each code, then the sum of all scores
    std::optional<Plan> plan;
  };

  FrameGraph(FrameGraphSpec spec, std::shared_ptr<const nn::StackWeights> weights, std::shared_ptr<Device> device,
             DrawWay way);
  Status prepare(const std::shared_ptr<const TensorSource>& source);
  Result<Built> build(int top_k) const;
  int num_codes() const { return static_cast<int>(spec_.stack.heads.size()); }

  FrameGraphSpec spec_;
  std::shared_ptr<const nn::StackWeights> weights_;
  std::shared_ptr<Device> device_;
  DrawWay way_;
  std::optional<CodeTables> tables_;
  std::optional<nn::KvCache> cache_;
  State constants_;
  GraphSampler sampler_;
  std::vector<nn::AttentionInputs> attention_;  // of each step
  std::optional<SamplingDefaults> options_;     // those that the constants are made for
  int built_top_k_ = -1;
  Built built_;
  std::vector<float> noise_, result_;
};

}  // namespace kazeia
