#include "stages/code_predictor/code_predictor.h"

#include <algorithm>

#include "nn/layer_stack.h"

namespace kazeia {
namespace {

class CodePredictorImpl final : public CodePredictor {
 public:
  CodePredictorImpl(const ModelConfig& config, const CodeEmbeddings& embeddings, std::unique_ptr<nn::LayerStack> stack)
      : embeddings_(embeddings),
        stack_(std::move(stack)),
        logits_(static_cast<size_t>(config.code_predictor.vocab_size)),
        state_(static_cast<size_t>(config.code_predictor.stack.hidden_size)) {}

  Status predict(std::span<const float> hidden, int32_t code0, const PickCode& pick, CodeFrame& frame) override;

 private:
  const CodeEmbeddings& embeddings_;
  std::unique_ptr<nn::LayerStack> stack_;
  std::vector<float> rows_, logits_, state_;
};

// The first step reads two positions, the talker's state and the semantic code; each later one reads the code before
// it.
Status CodePredictorImpl::predict(std::span<const float> hidden, int32_t code0, const PickCode& pick,
                                  CodeFrame& frame) {
  const auto width = static_cast<size_t>(embeddings_.width());
  KZ_CHECK(hidden.size() == width);
  frame = CodeFrame{};
  frame.codes[0] = code0;
  if (stack_) stack_->reset();
  rows_.assign(hidden.begin(), hidden.end());
  for (int group = 1; group < embeddings_.num_groups(); ++group) {
    rows_.resize(group == 1 ? 2 * width : width);
    const auto code_row = std::span(rows_).last(width);
    std::fill(code_row.begin(), code_row.end(), 0.0F);
    embeddings_.add(group - 1, frame.codes[static_cast<size_t>(group - 1)], code_row);
    KZ_RETURN_IF_ERROR(stack_->run(rows_, /*head=*/group - 1, state_, logits_));
    frame.codes[static_cast<size_t>(group)] = pick(group, logits_);
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<CodePredictor>> CodePredictor::create(const ModelConfig& config,
                                                             std::shared_ptr<const TensorSource> source,
                                                             std::shared_ptr<Device> device,
                                                             const CodeEmbeddings& embeddings) {
  const int num_groups = config.talker.num_code_groups;
  if (num_groups == 1)  // the semantic code is the whole frame
    return std::unique_ptr<CodePredictor>(std::make_unique<CodePredictorImpl>(config, embeddings, nullptr));
  nn::StackSpec spec{.config = config.code_predictor.stack,
                     .input_width = config.talker.stack.hidden_size,
                     .prefix = "code_predictor.",
                     .input_proj = "",
                     .heads = {},
                     .max_positions = num_groups};  // the state, then every code but the last
  if (source->find("code_predictor.input_proj.weight")) spec.input_proj = "code_predictor.input_proj";
  for (int i = 0; i + 1 < num_groups; ++i)
    spec.heads.push_back("code_predictor.lm_head." + std::to_string(i) + ".weight");
  KZ_TRY(std::unique_ptr<nn::LayerStack> stack, nn::create_stack(spec, std::move(source), std::move(device)));
  return std::unique_ptr<CodePredictor>(std::make_unique<CodePredictorImpl>(config, embeddings, std::move(stack)));
}

}  // namespace kazeia
