#include "stages/talker/talker.h"

#include <algorithm>

#include "stages/talker/text_embedder.h"

namespace kazeia {
namespace {

class TalkerImpl final : public Talker {
 public:
  TalkerImpl(const TalkerConfig& config, const CodeEmbeddings& embeddings, TextEmbedder text,
             std::unique_ptr<nn::LayerStack> stack)
      : config_(config), embeddings_(embeddings), text_(std::move(text)), stack_(std::move(stack)) {}

  Status begin(const Prompt& prompt, TalkerOutput& out, const std::stop_token& stop) override;
  Status step(std::span<const int32_t> frame, TalkerOutput& out) override;
  Result<std::vector<float>> embed_prompt(const Prompt& prompt) override;
  int num_rows_kept() const override { return num_rows_kept_; }
  void set_probe(nn::LayerStack::LayerProbe probe) override {
    is_probed_ = probe != nullptr;
    stack_->set_probe(std::move(probe));
  }

 private:
  int num_rows_known(std::span<const float> rows) const;
  Status run(std::span<const float> rows, TalkerOutput& out);
  size_t width() const { return static_cast<size_t>(config_.stack.hidden_size); }

  TalkerConfig config_;
  const CodeEmbeddings& embeddings_;
  TextEmbedder text_;
  std::unique_ptr<nn::LayerStack> stack_;
  bool is_probed_ = false;
  int num_rows_kept_ = 0;
  std::vector<float> prompt_;     // [rows, H] of the last prompt
  size_t frame_ = 0;              // frames heard since begin()
  std::vector<float> text_rows_;  // [trailing + 1, H]: the text that goes with each frame, the padding last
  std::vector<float> step_row_;   // [1, H]
};

Status TalkerImpl::run(std::span<const float> rows, TalkerOutput& out) {
  out.hidden.resize(width());
  out.logits.resize(static_cast<size_t>(config_.vocab_size));
  return stack_->run(rows, /*head=*/0, out.hidden, out.logits);
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

// How many of the rows the last prompt began with too. The last row's scores are wanted: it has to be computed.
int TalkerImpl::num_rows_known(std::span<const float> rows) const {
  if (is_probed_) return 0;
  const auto candidates = rows.first(rows.size() - width());
  const auto [differs, unused] = std::ranges::mismatch(candidates, prompt_);
  return static_cast<int>(static_cast<size_t>(differs - candidates.begin()) / width());
}

Status TalkerImpl::begin(const Prompt& prompt, TalkerOutput& out, const std::stop_token& stop) {
  KZ_CHECK(!prompt.rows.empty());
  frame_ = 0;
  stack_->set_stop(stop);
  std::vector<int32_t> ids = prompt.trailing_text_ids;
  ids.push_back(prompt.pad_text_id);
  KZ_RETURN_IF_ERROR(text_.embed(ids, text_rows_));
  KZ_TRY(std::vector<float> rows, embed_prompt(prompt));
  num_rows_kept_ = stack_->keep(num_rows_known(rows));
  prompt_ = std::move(rows);
  return run(std::span<const float>(prompt_).subspan(static_cast<size_t>(num_rows_kept_) * width()), out);
}

Status TalkerImpl::step(std::span<const int32_t> frame, TalkerOutput& out) {
  const size_t last_text_row = text_rows_.size() / width() - 1;
  const auto text = std::span(text_rows_).subspan(std::min(frame_, last_text_row) * width(), width());
  step_row_.assign(text.begin(), text.end());
  embeddings_.add_frame(frame, step_row_);
  ++frame_;
  return run(step_row_, out);
}

}  // namespace

Result<std::unique_ptr<Talker>> Talker::create(const TalkerConfig& config, std::shared_ptr<const TensorSource> source,
                                               std::shared_ptr<Device> device, const CodeEmbeddings& embeddings) {
  const nn::StackSpec spec{.config = config.stack,
                           .input_width = config.stack.hidden_size,
                           .prefix = "talker.",
                           .input_proj = "",
                           .heads = {"talker.codec_head.weight"}};
  KZ_TRY(TextEmbedder text, TextEmbedder::create(source, device));
  KZ_TRY(std::unique_ptr<nn::LayerStack> stack, nn::create_stack(spec, std::move(source), std::move(device)));
  return std::unique_ptr<Talker>(std::make_unique<TalkerImpl>(config, embeddings, std::move(text), std::move(stack)));
}

}  // namespace kazeia
