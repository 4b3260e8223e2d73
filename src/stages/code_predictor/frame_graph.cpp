#include "stages/code_predictor/frame_graph.h"

#include <cmath>

#include "nn/conv.h"

namespace kazeia {
namespace {

constexpr int kConstantsPerStep = 4;

// By index if the device can, else by one-hot; Unsupported with the reason if it can neither.
Result<DrawWay> choose_way(const Device& device, int vocab_size) {
  const std::string reason = GraphSampler::refusal(device, vocab_size, DrawWay::by_index);
  if (reason.empty()) return DrawWay::by_index;
  if (GraphSampler::refusal(device, vocab_size, DrawWay::by_one_hot).empty()) return DrawWay::by_one_hot;
  return Error{ErrorCode::unsupported, reason};
}

}  // namespace

FrameGraph::FrameGraph(FrameGraphSpec spec, std::shared_ptr<const nn::StackWeights> weights,
                       std::shared_ptr<Device> device, DrawWay way)
    : spec_(std::move(spec)),
      weights_(std::move(weights)),
      device_(std::move(device)),
      way_(way),
      constants_(kConstantsPerStep * num_codes() + 2),
      sampler_(constants_, spec_.vocab_size, way) {}

Result<std::unique_ptr<FrameGraph>> FrameGraph::create(const FrameGraphSpec& spec,
                                                       std::shared_ptr<const nn::StackWeights> weights,
                                                       const std::shared_ptr<const TensorSource>& source,
                                                       std::shared_ptr<Device> device,
                                                       const SamplingDefaults& options) {
  KZ_TRY(const DrawWay way, choose_way(*device, spec.vocab_size));
  std::unique_ptr<FrameGraph> frame_graph(new FrameGraph(spec, std::move(weights), std::move(device), way));
  KZ_RETURN_IF_ERROR(frame_graph->prepare(source));
  KZ_TRY(frame_graph->built_, frame_graph->build(frame_graph->sampler_.top_k_of(options)));
  frame_graph->built_top_k_ = frame_graph->sampler_.top_k_of(options);
  return frame_graph;
}

std::string FrameGraph::refusal(const SamplingDefaults& options) {
  return GraphSampler::follows(options) ? "" : "top-p needs a sorted sum, which graphs don't have";
}

Status FrameGraph::prepare(const std::shared_ptr<const TensorSource>& source) {
  const nn::StackSpec& stack = spec_.stack;
  KZ_TRY(CodeTables tables, CodeTables::load(source, spec_.embeddings, *device_, way_));
  tables_.emplace(std::move(tables));
  KZ_TRY(cache_, nn::KvCache::create(device_, stack.config, nn::cache_type(*device_), stack.max_positions,
                                     /*window=*/0));
  for (int step = 0; step < num_codes(); ++step)
    attention_.push_back(nn::KvCache::add_constants(constants_, stack.config, step == 0 ? 2 : 1, stack.max_positions));
  KZ_RETURN_IF_ERROR(constants_.allocate(*device_));
  for (int step = 0; step < num_codes(); ++step)
    cache_->set_constants(attention_[static_cast<size_t>(step)], step == 0 ? 0 : step + 1);
  return ok();
}

Result<FrameGraph::Built> FrameGraph::build(int top_k) const {
  const LayerStackConfig& config = spec_.stack.config;
  Graph g((64 * config.num_layers + 64) * num_codes());
  Built built;
  built.rows = g.input("rows", DType::f32, {2, spec_.stack.input_width});
  Tensor x = built.rows;
  Tensor sum_of_scores;
  for (int step = 0; step < num_codes(); ++step) {
    const auto index = static_cast<size_t>(step);
    x = nn::stack_input(g, x, *weights_);
    for (int i = 0; i < config.num_layers; ++i)
      x = nn::decoder_layer(g, x, weights_->layers[static_cast<size_t>(i)], config, attention_[index],
                            cache_->layer(i));
    const Tensor logits = nn::linear(g, nn::stack_hidden(g, x, *weights_, config), weights_->heads[index]);
    built.noise.push_back(g.input("noise", DType::f32, {1, spec_.vocab_size}));
    const GraphDraw code = sampler_.draw(g, logits, built.noise.back(), top_k);
    built.result = built.result ? nn::append_rows(g, built.result, code.countdown) : code.countdown;
    const Tensor score{ggml_sum_rows(g.context(), logits.node)};
    sum_of_scores = sum_of_scores ? nn::add(g, sum_of_scores, score) : score;
    if (step + 1 < num_codes()) x = tables_->row(g, index, code);
  }
  built.result = g.output("codes", nn::append_rows(g, built.result, sum_of_scores));
  for (int i = 0; device_->is_remote() && i < ggml_graph_n_nodes(g.nodes()); ++i) {
    const ggml_tensor* node = ggml_graph_node(g.nodes(), i);
    const std::string reason = device_->refusal(node);
    if (!reason.empty())
      return Error{ErrorCode::unsupported, device_->name() + " refuses " + describe_node(node) + ": " + reason};
  }
  KZ_TRY(built.plan, Plan::create(device_, std::move(g)));
  return built;
}

Result<bool> FrameGraph::run(std::span<const float> rows, const SamplingDefaults& options, uint64_t seed,
                             uint32_t frame_index, CodeFrame& frame) {
  KZ_CHECK(refusal(options).empty());
  if (const int top_k = sampler_.top_k_of(options); top_k != built_top_k_) {
    KZ_TRY(built_, build(top_k));
    built_top_k_ = top_k;
  }
  if (!options_ || options_->do_sample != options.do_sample || options_->temperature != options.temperature) {
    sampler_.set_options(options);
    options_ = options;
  }
  Plan& plan = *built_.plan;
  plan.set(built_.rows, rows);
  noise_.resize(static_cast<size_t>(spec_.vocab_size));
  for (int code = 0; code < num_codes(); ++code) {
    GraphSampler::fill_noise(options, {seed, frame_index, static_cast<uint32_t>(code + 1)}, noise_);
    plan.set(built_.noise[static_cast<size_t>(code)], std::span<const float>(noise_));
  }
  KZ_RETURN_IF_ERROR(plan.run());
  result_.resize(static_cast<size_t>(num_codes()) + 1);
  plan.get(built_.result, result_);
  if (!std::isfinite(result_.back())) {
    cache_->clear();  // later frames must not read what made this one break
    return false;
  }
  for (int code = 0; code < num_codes(); ++code)
    frame.codes[static_cast<size_t>(code) + 1] =
        spec_.vocab_size - static_cast<int32_t>(result_[static_cast<size_t>(code)]);
  return true;
}

}  // namespace kazeia
