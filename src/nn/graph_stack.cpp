// The layer stack as ggml graphs: any device, any type of weights.
#include <algorithm>
#include <map>
#include <tuple>

#include "nn/device_rules.h"
#include "nn/kv_cache.h"
#include "nn/layer_stack.h"
#include "nn/nn.h"
#include "nn/stack_weights.h"

namespace kazeia::nn {
namespace {

// A growing cache takes this many more positions at a time (256 frames are 20 s of speech).
constexpr int kCacheStep = 256;
// Attention covers the used slots rounded up to this, so that one graph serves many steps.
constexpr int kSlotStep = 64;
// Rows of one graph: bounds the attention scores, [heads, rows, slots], of a long prompt.
constexpr int kMaxRows = 256;

int round_up(int value, int step) { return (value + step - 1) / step * step; }

// One run over a number of new positions, with one head.
struct BuiltPlan {
  AttentionInputs attention;
  Tensor rows;                 // in: [M, input_width]
  Tensor hidden, logits;       // out: [1, H], [1, vocab]
  std::vector<Tensor> layers;  // out, for the probe
  Plan plan;
};

class GraphStack final : public LayerStack {
 public:
  GraphStack(const StackSpec& spec, std::shared_ptr<Device> device, std::shared_ptr<const StackWeights> weights,
             KvCache cache)
      : spec_(spec), device_(std::move(device)), weights_(std::move(weights)), cache_(std::move(cache)) {
    // Products of the attention have one row for each head and position.
    const int64_t limit = DeviceRules::of(*device_).max_matmul_rows;
    if (limit > 0) max_rows_ = std::clamp(static_cast<int>(limit / spec_.config.num_heads), 1, kMaxRows);
  }

  int keep(int /*num_positions*/) override {
    position_ = 0;
    cache_.clear();
    return 0;
  }
  Status run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) override;
  void set_stop(std::stop_token stop) override { stop_ = std::move(stop); }
  void set_probe(LayerProbe probe) override {
    probe_ = std::move(probe);
    plans_.clear();
  }

 private:
  using PlanKey = std::tuple<int, int, int>;  // rows, slots in use, head

  Status make_room(int num_positions);
  int slots_for(int num_positions) const;
  Result<BuiltPlan> build(int num_rows, int slots_in_use, int head) const;
  Result<BuiltPlan*> find_plan(int num_rows, int slots_in_use, int head);
  void report_layers(const BuiltPlan& built, int num_rows) const;

  StackSpec spec_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const StackWeights> weights_;
  KvCache cache_;
  int max_rows_ = kMaxRows;  // of one graph
  std::map<PlanKey, BuiltPlan> plans_;
  LayerProbe probe_;
  std::stop_token stop_;
  int position_ = 0;  // of the next row
};

Status GraphStack::make_room(int num_positions) {
  if (num_positions <= cache_.num_slots()) return ok();
  if (spec_.max_positions > 0) {
    return Error{ErrorCode::internal, spec_.prefix + "stack: expected at most " + std::to_string(spec_.max_positions) +
                                          " positions, found " + std::to_string(num_positions)};
  }
  plans_.clear();  // they refer to the old cache
  return cache_.reserve(round_up(num_positions, kCacheStep));
}

int GraphStack::slots_for(int num_positions) const {
  if (spec_.max_positions > 0) return cache_.num_slots();
  return std::min(round_up(num_positions, kSlotStep), cache_.num_slots());
}

Result<BuiltPlan> GraphStack::build(int num_rows, int slots_in_use, int head) const {
  const LayerStackConfig& config = spec_.config;
  const bool keep_layers = probe_ != nullptr;
  Graph g(64 + config.num_layers * 64);
  const AttentionInputs attention = cache_.inputs(g, num_rows, slots_in_use);
  const Tensor rows = g.input("rows", DType::f32, {num_rows, spec_.input_width});
  std::vector<Tensor> outputs;
  Tensor x = stack_input(g, rows, *weights_);
  for (int i = 0; i < config.num_layers; ++i) {
    x = decoder_layer(g, x, weights_->layers[static_cast<size_t>(i)], config, attention, cache_.layer(i));
    if (keep_layers) outputs.push_back(g.output("layer", x));
  }
  if (keep_layers) outputs.push_back(g.output("norm", rms_norm(g, x, weights_->norm, config.rms_norm_eps)));
  // Only the last position speaks.
  const Tensor hidden = g.output("hidden", stack_hidden(g, x, *weights_, config));
  const Tensor logits = g.output("logits", linear(g, hidden, weights_->heads[static_cast<size_t>(head)]));
  KZ_TRY(Plan plan, Plan::create(device_, std::move(g)));
  return BuiltPlan{attention, rows, hidden, logits, std::move(outputs), std::move(plan)};
}

Result<BuiltPlan*> GraphStack::find_plan(int num_rows, int slots_in_use, int head) {
  const PlanKey key{num_rows, slots_in_use, head};
  if (const auto found = plans_.find(key); found != plans_.end()) return &found->second;
  // A growing stack moves on from one number of slots to the next; what it built for the last is of no use any more.
  if (spec_.max_positions == 0) plans_.clear();
  KZ_TRY(BuiltPlan built, build(num_rows, slots_in_use, head));
  return &plans_.emplace(key, std::move(built)).first->second;
}

void GraphStack::report_layers(const BuiltPlan& built, int num_rows) const {
  std::vector<float> values(static_cast<size_t>(num_rows) * static_cast<size_t>(spec_.config.hidden_size));
  for (size_t i = 0; i < built.layers.size(); ++i) {
    built.plan.get(built.layers[i], values);
    probe_(static_cast<int>(i), values);
  }
}

Status GraphStack::run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) {
  const auto width = static_cast<size_t>(spec_.input_width);
  while (!rows.empty()) {
    const auto num_rows = static_cast<int>(std::min<size_t>(rows.size() / width, static_cast<size_t>(max_rows_)));
    if (num_rows > 1 && stop_.stop_requested()) return stopped_early(spec_);
    KZ_RETURN_IF_ERROR(make_room(position_ + num_rows));
    KZ_TRY(BuiltPlan* const built, find_plan(num_rows, slots_for(position_ + num_rows), head));
    const auto part = rows.first(static_cast<size_t>(num_rows) * width);
    built->plan.set(built->rows, part);
    cache_.set_inputs(built->plan, built->attention, position_);
    KZ_RETURN_IF_ERROR(built->plan.run());
    built->plan.get(built->hidden, hidden);
    built->plan.get(built->logits, logits);
    if (probe_) report_layers(*built, num_rows);
    position_ += num_rows;
    rows = rows.subspan(part.size());
  }
  return ok();
}

}  // namespace

Error stopped_early(const StackSpec& spec) {
  return Error{ErrorCode::cancelled, spec.prefix + "stack: stopped by the caller"};
}

Result<std::unique_ptr<LayerStack>> create_stack(const StackSpec& spec, std::shared_ptr<const TensorSource> source,
                                                 std::shared_ptr<Device> device) {
  if (device->is_cpu() && cpu_stack_fits(spec, *source)) return create_cpu_stack(spec, *source, std::move(device));
  return create_graph_stack(spec, std::move(source), std::move(device));
}

Result<std::unique_ptr<LayerStack>> create_graph_stack(const StackSpec& spec,
                                                       std::shared_ptr<const TensorSource> source,
                                                       std::shared_ptr<Device> device) {
  KZ_TRY(std::shared_ptr<const StackWeights> weights, StackWeights::load(spec, source, *device));
  return create_graph_stack(spec, std::move(weights), std::move(device));
}

Result<std::unique_ptr<LayerStack>> create_graph_stack(const StackSpec& spec,
                                                       std::shared_ptr<const StackWeights> weights,
                                                       std::shared_ptr<Device> device) {
  const int num_slots = spec.max_positions > 0 ? spec.max_positions : kCacheStep;
  KZ_TRY(KvCache cache, KvCache::create(device, spec.config, cache_type(*device), num_slots, /*window=*/0));
  return std::unique_ptr<LayerStack>(
      std::make_unique<GraphStack>(spec, std::move(device), std::move(weights), std::move(cache)));
}

}  // namespace kazeia::nn
