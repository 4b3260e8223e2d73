#include "stages/code_predictor/code_predictor.h"

#include <algorithm>

#include "formats/half.h"
#include "nn/stack_weights.h"
#include "sampling/sampling.h"
#include "stages/code_predictor/frame_graph.h"

namespace kazeia {
namespace {

class CodePredictorImpl final : public CodePredictor {
 public:
  CodePredictorImpl(const ModelConfig& config, const CodeEmbeddings& embeddings, std::unique_ptr<nn::LayerStack> stack,
                    std::unique_ptr<FrameGraph> frame_graph, std::string why_no_graph, bool rounds_tables)
      : embeddings_(embeddings),
        rounds_tables_(rounds_tables),
        stack_(std::move(stack)),
        frame_graph_(std::move(frame_graph)),
        why_no_graph_(std::move(why_no_graph)),
        logits_(static_cast<size_t>(config.code_predictor.vocab_size)),
        state_(static_cast<size_t>(config.code_predictor.stack.hidden_size)) {}

  Status predict(std::span<const float> hidden, int32_t code0, const PickCode& pick, CodeFrame& frame) override;
  Status draw(std::span<const float> hidden, int32_t code0, const SamplingDefaults& options, uint64_t seed,
              uint32_t frame_index, CodeFrame& frame) override;
  const std::string& step_by_step_reason() const override { return reason_; }

 private:
  void first_rows(std::span<const float> hidden, int32_t code0);
  void read_code(int group, int32_t code);

  const CodeEmbeddings& embeddings_;
  bool rounds_tables_;                       // rows of all groups but the first are f16: see code_table_type()
  std::unique_ptr<nn::LayerStack> stack_;    // null for a model with the semantic code alone
  std::unique_ptr<FrameGraph> frame_graph_;  // null: step by step
  std::string why_no_graph_, reason_;
  Sampler sampler_;
  std::vector<float> rows_, logits_, state_;
};

// Leaves the embedding of a code in the last row of rows_.
void CodePredictorImpl::read_code(int group, int32_t code) {
  const auto row = std::span(rows_).last(static_cast<size_t>(embeddings_.width()));
  std::ranges::fill(row, 0.0F);
  embeddings_.add(group, code, row);
  if (rounds_tables_ && group > 0)
    for (float& value : row) value = f16_to_float(float_to_f16(value));
}

// The first step reads two positions, the talker's state and the semantic code; each later one reads the code before
// it.
void CodePredictorImpl::first_rows(std::span<const float> hidden, int32_t code0) {
  const auto width = static_cast<size_t>(embeddings_.width());
  KZ_CHECK(hidden.size() == width);
  rows_.assign(hidden.begin(), hidden.end());
  rows_.resize(2 * width);
  read_code(0, code0);
}

Status CodePredictorImpl::predict(std::span<const float> hidden, int32_t code0, const PickCode& pick,
                                  CodeFrame& frame) {
  frame = CodeFrame{};
  frame.codes[0] = code0;
  if (stack_) stack_->reset();
  first_rows(hidden, code0);
  for (int group = 1; group < embeddings_.num_groups(); ++group) {
    if (group > 1) {
      rows_.resize(static_cast<size_t>(embeddings_.width()));
      read_code(group - 1, frame.codes[static_cast<size_t>(group - 1)]);
    }
    KZ_RETURN_IF_ERROR(stack_->run(rows_, /*head=*/group - 1, state_, logits_));
    frame.codes[static_cast<size_t>(group)] = pick(group, logits_);
  }
  return ok();
}

Status CodePredictorImpl::draw(std::span<const float> hidden, int32_t code0, const SamplingDefaults& options,
                               uint64_t seed, uint32_t frame_index, CodeFrame& frame) {
  reason_ = frame_graph_ ? FrameGraph::refusal(options) : why_no_graph_;
  if (frame_graph_ && reason_.empty()) {
    frame = CodeFrame{};
    frame.codes[0] = code0;
    first_rows(hidden, code0);
    KZ_TRY(const bool usable, frame_graph_->run(rows_, options, seed, frame_index, frame));
    if (usable) return ok();
    reason_ = "a score was not finite";
  }
  bool usable = true;
  const auto pick = [&](int group, std::span<const float> logits) {
    const DrawKey key{seed, frame_index, static_cast<uint32_t>(group)};
    const int32_t code = sampler_.draw(logits, options, SamplingLimits{}, key);
    usable = usable && !sampler_.nothing_left();
    return code;
  };
  KZ_RETURN_IF_ERROR(predict(hidden, code0, pick, frame));
  if (usable) return ok();
  return Error{ErrorCode::bad_model, "code predictor: expected scores that are numbers, found none at frame " +
                                         std::to_string(frame_index) + ": the weights are damaged or overflow"};
}

FrameGraphSpec frame_graph_spec(const nn::StackSpec& stack, const ModelConfig& config) {
  FrameGraphSpec spec{.stack = stack, .embeddings = {}, .vocab_size = config.code_predictor.vocab_size};
  for (size_t i = 0; i + 1 < stack.heads.size(); ++i)
    spec.embeddings.push_back("code_predictor.codec_embedding." + std::to_string(i) + ".weight");
  return spec;
}

}  // namespace

Result<std::unique_ptr<CodePredictor>> CodePredictor::create(const ModelConfig& config,
                                                             std::shared_ptr<const TensorSource> source,
                                                             std::shared_ptr<Device> device,
                                                             const CodeEmbeddings& embeddings, CodePredictorWay way) {
  const auto make = [&](std::unique_ptr<nn::LayerStack> stack, std::unique_ptr<FrameGraph> graph, std::string why) {
    return std::unique_ptr<CodePredictor>(
        std::make_unique<CodePredictorImpl>(config, embeddings, std::move(stack), std::move(graph), std::move(why),
                                            /*rounds_tables=*/code_table_type(*device, DType::f32) == DType::f16));
  };
  const int num_groups = config.talker.num_code_groups;
  if (num_groups == 1) return make(nullptr, nullptr, "");  // the semantic code is the whole frame
  nn::StackSpec spec{.config = config.code_predictor.stack,
                     .input_width = config.talker.stack.hidden_size,
                     .prefix = "code_predictor.",
                     .input_proj = "",
                     .heads = {},
                     .max_positions = num_groups};  // the state, then every code but the last
  if (source->find("code_predictor.input_proj.weight")) spec.input_proj = "code_predictor.input_proj";
  for (int i = 0; i + 1 < num_groups; ++i)
    spec.heads.push_back("code_predictor.lm_head." + std::to_string(i) + ".weight");

  const bool wants_graph =
      way == CodePredictorWay::one_graph || (way == CodePredictorWay::automatic && device->is_remote());
  if (!wants_graph) {
    KZ_TRY(std::unique_ptr<nn::LayerStack> stack, nn::create_stack(spec, std::move(source), device));
    return make(std::move(stack), nullptr, "");
  }
  KZ_TRY(const auto weights, nn::StackWeights::load(spec, source, *device));
  KZ_TRY(std::unique_ptr<nn::LayerStack> stack, nn::create_graph_stack(spec, weights, device));
  auto graph =
      FrameGraph::create(frame_graph_spec(spec, config), weights, source, device, config.code_predictor_sampling);
  if (graph) return make(std::move(stack), *std::move(graph), "");
  if (way == CodePredictorWay::one_graph || graph.error().code != ErrorCode::unsupported) return graph.error();
  return make(std::move(stack), nullptr, graph.error().message);
}

}  // namespace kazeia
