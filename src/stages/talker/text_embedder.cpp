#include "stages/talker/text_embedder.h"

#include <algorithm>

#include "nn/nn.h"

namespace kazeia {
namespace {

// Rows projected by one run; a shorter batch is padded. Enough for most prompts, and small beside the talker's prefill.
constexpr int64_t kBatchRows = 32;

}  // namespace

Result<TextEmbedder> TextEmbedder::create(const TalkerConfig& config, const std::shared_ptr<const TensorSource>& source,
                                          std::shared_ptr<Device> device) {
  const std::string prefix = "talker.text_projection.";
  const std::vector<std::string> names = {prefix + "fc1.weight", prefix + "fc1.bias", prefix + "fc2.weight",
                                          prefix + "fc2.bias"};
  KZ_TRY(RowTable table, RowTable::open(source, "talker.text_embedding.weight"));
  KZ_TRY(Weights weights, Weights::load(source, *device, names));
  TextEmbedder embedder(std::move(table), std::move(weights));
  embedder.width_ = config.stack.hidden_size;

  Graph g(/*max_nodes=*/32);
  embedder.rows_in_ = g.input("text_rows", DType::f32, {kBatchRows, config.text_hidden_size});
  Tensor x = nn::linear(g, embedder.rows_in_, embedder.weights_.get(names[0]), embedder.weights_.get(names[1]));
  x = nn::linear(g, nn::silu(g, x), embedder.weights_.get(names[2]), embedder.weights_.get(names[3]));
  embedder.rows_out_ = g.output("projected", x);
  KZ_TRY(embedder.plan_, Plan::create(std::move(device), std::move(g)));
  return embedder;
}

Status TextEmbedder::embed(std::span<const int32_t> ids, std::vector<float>& out) {
  const auto text_width = static_cast<size_t>(table_.width());
  const auto width = static_cast<size_t>(width_);
  out.resize(ids.size() * width);
  batch_.resize(kBatchRows * text_width);
  projected_.resize(kBatchRows * width);
  for (size_t first = 0; first < ids.size(); first += kBatchRows) {
    const size_t count = std::min<size_t>(kBatchRows, ids.size() - first);
    std::fill(batch_.begin(), batch_.end(), 0.0F);
    for (size_t i = 0; i < count; ++i) {
      const int32_t id = ids[first + i];
      if (id < 0 || id >= table_.num_rows()) {
        return Error{ErrorCode::bad_model, "text id " + std::to_string(id) +
                                               ": expected less than the text vocabulary of " +
                                               std::to_string(table_.num_rows())};
      }
      table_.add_row(id, std::span(batch_).subspan(i * text_width, text_width));
    }
    plan_->set(rows_in_, std::span<const float>(batch_));
    KZ_RETURN_IF_ERROR(plan_->run());
    plan_->get(rows_out_, projected_);
    std::copy_n(projected_.begin(), count * width, out.begin() + static_cast<std::ptrdiff_t>(first * width));
  }
  return ok();
}

}  // namespace kazeia
