#include "stages/code_predictor/code_predictor.h"

#include "nn/kv_cache.h"
#include "nn/nn.h"

namespace kazeia {
namespace {

struct PredictorWeights {
  Tensor input_proj, input_proj_bias;  // small_to_mtp_projection; empty where talker and predictor have one width
  std::vector<nn::DecoderLayerWeights> layers;
  Tensor norm;
  std::vector<Tensor> heads;  // [codebook size, h] for each group from 1 on
};

std::string layer_prefix(int layer) { return "code_predictor.layers." + std::to_string(layer) + "."; }
std::string head_name(int index) { return "code_predictor.lm_head." + std::to_string(index) + ".weight"; }

std::vector<std::string> weight_names(const ModelConfig& config, const TensorSource& source) {
  std::vector<std::string> names = {"code_predictor.norm.weight"};
  for (const char* name : {"code_predictor.input_proj.weight", "code_predictor.input_proj.bias"})
    if (source.find(name)) names.emplace_back(name);
  for (int i = 0; i < config.code_predictor.stack.num_layers; ++i)
    for (const std::string& name : nn::decoder_layer_names(source, layer_prefix(i))) names.push_back(name);
  for (int i = 0; i + 1 < config.talker.num_code_groups; ++i) names.push_back(head_name(i));
  return names;
}

PredictorWeights predictor_weights(const Weights& weights, const ModelConfig& config) {
  PredictorWeights w;
  w.input_proj = weights.find("code_predictor.input_proj.weight");
  w.input_proj_bias = weights.find("code_predictor.input_proj.bias");
  w.norm = weights.get("code_predictor.norm.weight");
  for (int i = 0; i < config.code_predictor.stack.num_layers; ++i)
    w.layers.push_back(nn::decoder_layer_weights(weights, layer_prefix(i)));
  for (int i = 0; i + 1 < config.talker.num_code_groups; ++i) w.heads.push_back(weights.get(head_name(i)));
  return w;
}

// One step with its own head: the first reads two positions (the talker's state, the semantic code), the others one.
struct Step {
  nn::AttentionInputs attention;
  Tensor embeddings, logits;
  Plan plan;
};

class CodePredictorImpl final : public CodePredictor {
 public:
  CodePredictorImpl(const ModelConfig& config, const CodeEmbeddings& embeddings, Weights weights, nn::KvCache cache)
      : config_(config),
        embeddings_(embeddings),
        weights_(std::move(weights)),
        cache_(std::move(cache)),
        tensors_(predictor_weights(weights_, config)) {}

  Status build_steps(const std::shared_ptr<Device>& device);
  Status predict(std::span<const float> hidden, int32_t code0, const PickCode& pick, CodeFrame& frame) override;

 private:
  Result<Step> build_step(const std::shared_ptr<Device>& device, int index) const;

  ModelConfig config_;
  const CodeEmbeddings& embeddings_;
  Weights weights_;
  nn::KvCache cache_;
  PredictorWeights tensors_;
  std::vector<Step> steps_;
  std::vector<float> rows_, logits_;
};

Result<Step> CodePredictorImpl::build_step(const std::shared_ptr<Device>& device, int index) const {
  const LayerStackConfig& stack = config_.code_predictor.stack;
  const int num_rows = index == 0 ? 2 : 1;
  Graph g(64 + stack.num_layers * 64);
  const nn::AttentionInputs attention = cache_.inputs(g, num_rows, cache_.num_slots());
  const Tensor embeddings = g.input("embeddings", DType::f32, {num_rows, embeddings_.width()});
  Tensor x = embeddings;
  if (tensors_.input_proj) x = nn::linear(g, x, tensors_.input_proj, tensors_.input_proj_bias);
  for (int i = 0; i < stack.num_layers; ++i)
    x = nn::decoder_layer(g, x, tensors_.layers[static_cast<size_t>(i)], stack, attention, cache_.layer(i));
  x = nn::rms_norm(g, nn::last_row(g, x), tensors_.norm, stack.rms_norm_eps);
  const Tensor logits = g.output("logits", nn::linear(g, x, tensors_.heads[static_cast<size_t>(index)]));
  KZ_TRY(Plan plan, Plan::create(device, std::move(g)));
  return Step{attention, embeddings, logits, std::move(plan)};
}

Status CodePredictorImpl::build_steps(const std::shared_ptr<Device>& device) {
  for (int i = 0; i + 1 < config_.talker.num_code_groups; ++i) {
    KZ_TRY(Step step, build_step(device, i));
    steps_.push_back(std::move(step));
  }
  return ok();
}

Status CodePredictorImpl::predict(std::span<const float> hidden, int32_t code0, const PickCode& pick,
                                  CodeFrame& frame) {
  const auto width = static_cast<size_t>(embeddings_.width());
  KZ_CHECK(hidden.size() == width);
  frame = CodeFrame{};
  frame.codes[0] = code0;
  logits_.resize(static_cast<size_t>(config_.code_predictor.vocab_size));
  int64_t position = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    if (i == 0) rows_.assign(hidden.begin(), hidden.end());
    rows_.resize(i == 0 ? 2 * width : width);
    const auto code_row = std::span(rows_).last(width);
    std::fill(code_row.begin(), code_row.end(), 0.0F);
    embeddings_.add(static_cast<int>(i), frame.codes[i], code_row);

    step.plan.set(step.embeddings, std::span<const float>(rows_));
    cache_.set_inputs(step.plan, step.attention, position);
    KZ_RETURN_IF_ERROR(step.plan.run());
    step.plan.get(step.logits, logits_);
    frame.codes[i + 1] = pick(static_cast<int>(i) + 1, logits_);
    position += i == 0 ? 2 : 1;
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<CodePredictor>> CodePredictor::create(const ModelConfig& config,
                                                             std::shared_ptr<const TensorSource> source,
                                                             std::shared_ptr<Device> device,
                                                             const CodeEmbeddings& embeddings) {
  KZ_TRY(Weights weights, Weights::load(source, *device, weight_names(config, *source)));
  const int num_positions = config.talker.num_code_groups;  // the state, then every code but the last
  KZ_TRY(nn::KvCache cache,
         nn::KvCache::create(device, config.code_predictor.stack, DType::f32, num_positions, /*window=*/0));
  auto predictor = std::make_unique<CodePredictorImpl>(config, embeddings, std::move(weights), std::move(cache));
  KZ_RETURN_IF_ERROR(predictor->build_steps(device));
  return std::unique_ptr<CodePredictor>(std::move(predictor));
}

}  // namespace kazeia
