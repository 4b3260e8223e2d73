#include "stages/talker/talker.h"

#include <algorithm>
#include <map>
#include <optional>

#include "stages/talker/graph.h"
#include "stages/talker/text_embedder.h"

namespace kazeia {
namespace {

// The cache grows by this many positions (256 frames are 20 s of speech).
constexpr int kCacheStep = 256;
// Attention covers the used slots rounded up to this, so that a step's graph serves many frames.
constexpr int kSlotStep = 64;
// Rows of one prefill run: bounds the attention scores, [heads, rows, slots], of a long text.
constexpr int kPrefillRows = 256;

int round_up(int value, int step) { return (value + step - 1) / step * step; }

// Full precision where the weights have it; half the memory elsewhere.
DType cache_dtype(const TensorSource& source) {
  const TensorInfo* info = source.find("talker.layers.0.q_proj.weight");
  return info && info->dtype == DType::f32 ? DType::f32 : DType::f16;
}

struct BuiltPlan {
  talker::TalkerGraph graph;
  Plan plan;
};

class TalkerImpl final : public Talker {
 public:
  TalkerImpl(const TalkerConfig& config, std::shared_ptr<Device> device, const CodeEmbeddings& embeddings,
             Weights weights, TextEmbedder text, nn::KvCache cache)
      : config_(config),
        device_(std::move(device)),
        embeddings_(embeddings),
        weights_(std::move(weights)),
        text_(std::move(text)),
        cache_(std::move(cache)),
        tensors_(talker::talker_weights(weights_, config_)) {}

  Status begin(const Prompt& prompt, TalkerOutput& out) override;
  Status step(std::span<const int32_t> frame, TalkerOutput& out) override;
  Result<std::vector<float>> embed_prompt(const Prompt& prompt) override;
  void set_probe(LayerProbe probe) override {
    probe_ = std::move(probe);
    step_plans_.clear();
  }

 private:
  Status make_room(int num_positions);
  Result<BuiltPlan> build_plan(int num_rows, int slots_in_use);
  Status run(BuiltPlan& built, std::span<const float> rows, TalkerOutput& out);
  void report_layers(const BuiltPlan& built, size_t num_values);
  size_t width() const { return static_cast<size_t>(config_.stack.hidden_size); }

  TalkerConfig config_;
  std::shared_ptr<Device> device_;
  const CodeEmbeddings& embeddings_;
  Weights weights_;
  TextEmbedder text_;
  nn::KvCache cache_;
  talker::TalkerWeights tensors_;
  std::map<int, BuiltPlan> step_plans_;  // by slots in use
  LayerProbe probe_;

  int position_ = 0;              // of the next row
  int frame_ = 0;                 // frames heard since begin()
  std::vector<float> text_rows_;  // [trailing + 1, H]: the text of each frame, the padding last
  std::vector<float> step_row_;   // [1, H]
};

Status TalkerImpl::make_room(int num_positions) {
  if (num_positions <= cache_.num_slots()) return ok();
  step_plans_.clear();  // they refer to the old cache
  return cache_.reserve(round_up(num_positions, kCacheStep));
}

Result<BuiltPlan> TalkerImpl::build_plan(int num_rows, int slots_in_use) {
  const int max_nodes = 64 + config_.stack.num_layers * 64;
  Graph g(max_nodes);
  const talker::TalkerGraph graph =
      talker::build(g, tensors_, config_, cache_, num_rows, slots_in_use, /*keep_layers=*/probe_ != nullptr);
  KZ_TRY(Plan plan, Plan::create(device_, std::move(g)));
  return BuiltPlan{graph, std::move(plan)};
}

Status TalkerImpl::run(BuiltPlan& built, std::span<const float> rows, TalkerOutput& out) {
  Plan& plan = built.plan;
  plan.set(built.graph.embeddings, rows);
  cache_.set_inputs(plan, built.graph.attention, position_);
  KZ_RETURN_IF_ERROR(plan.run());
  out.hidden.resize(width());
  out.logits.resize(static_cast<size_t>(config_.vocab_size));
  plan.get(built.graph.hidden, out.hidden);
  plan.get(built.graph.logits, out.logits);
  position_ += static_cast<int>(rows.size() / width());
  if (probe_) report_layers(built, rows.size());
  return ok();
}

void TalkerImpl::report_layers(const BuiltPlan& built, size_t num_values) {
  std::vector<float> values(num_values);
  for (size_t i = 0; i < built.graph.layers.size(); ++i) {
    built.plan.get(built.graph.layers[i], values);
    probe_(static_cast<int>(i), values);
  }
}

Result<std::vector<float>> TalkerImpl::embed_prompt(const Prompt& prompt) {
  std::vector<int32_t> ids;
  for (const PromptRow& row : prompt.rows) ids.push_back(row.text_id);
  std::vector<float> rows;
  KZ_RETURN_IF_ERROR(text_.embed(ids, rows));
  for (size_t i = 0; i < prompt.rows.size(); ++i) {
    if (prompt.rows[i].codec_id != kNoId)
      embeddings_.add(0, prompt.rows[i].codec_id, std::span(rows).subspan(i * width(), width()));
  }
  return rows;
}

Status TalkerImpl::begin(const Prompt& prompt, TalkerOutput& out) {
  KZ_CHECK(!prompt.rows.empty());
  position_ = 0;
  frame_ = 0;
  cache_.clear();
  std::vector<int32_t> ids = prompt.trailing_text_ids;
  ids.push_back(prompt.pad_text_id);
  KZ_RETURN_IF_ERROR(text_.embed(ids, text_rows_));
  KZ_TRY(const std::vector<float> rows, embed_prompt(prompt));

  const auto num_rows = static_cast<int>(prompt.rows.size());
  KZ_RETURN_IF_ERROR(make_room(num_rows + 1));
  for (int first = 0; first < num_rows; first += kPrefillRows) {
    const int count = std::min(kPrefillRows, num_rows - first);
    KZ_TRY(BuiltPlan built, build_plan(count, first + count));
    const auto part =
        std::span(rows).subspan(static_cast<size_t>(first) * width(), static_cast<size_t>(count) * width());
    KZ_RETURN_IF_ERROR(run(built, part, out));
  }
  return ok();
}

Status TalkerImpl::step(std::span<const int32_t> frame, TalkerOutput& out) {
  const size_t num_text_rows = text_rows_.size() / width();
  const size_t text_row = std::min(static_cast<size_t>(frame_), num_text_rows - 1);
  const auto text = std::span(text_rows_).subspan(text_row * width(), width());
  step_row_.assign(text.begin(), text.end());
  embeddings_.add_frame(frame, step_row_);
  ++frame_;

  KZ_RETURN_IF_ERROR(make_room(position_ + 1));
  const int slots_in_use = std::min(round_up(position_ + 1, kSlotStep), cache_.num_slots());
  auto found = step_plans_.find(slots_in_use);
  if (found == step_plans_.end()) {
    step_plans_.clear();  // earlier ones won't be used again in this utterance
    KZ_TRY(BuiltPlan built, build_plan(/*num_rows=*/1, slots_in_use));
    found = step_plans_.emplace(slots_in_use, std::move(built)).first;
  }
  return run(found->second, step_row_, out);
}

}  // namespace

Result<std::unique_ptr<Talker>> Talker::create(const TalkerConfig& config, std::shared_ptr<const TensorSource> source,
                                               std::shared_ptr<Device> device, const CodeEmbeddings& embeddings) {
  KZ_TRY(TextEmbedder text, TextEmbedder::create(config, source, device));
  KZ_TRY(Weights weights, Weights::load(source, *device, talker::weight_names(config, *source)));
  KZ_TRY(nn::KvCache cache, nn::KvCache::create(device, config.stack, cache_dtype(*source), kCacheStep, /*window=*/0));
  return std::unique_ptr<Talker>(std::make_unique<TalkerImpl>(config, std::move(device), embeddings, std::move(weights),
                                                              std::move(text), std::move(cache)));
}

}  // namespace kazeia
