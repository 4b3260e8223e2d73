#include "stages/talker/text_embedder.h"

#include <algorithm>

#include "nn/device_rules.h"
#include "nn/nn.h"

namespace kazeia {
namespace {

// Rows projected by one run: most prompts take one of the large batch, and the text of a frame one of the small.
constexpr int kBatchSizes[] = {2, 32};

const std::string kPrefix = "talker.text_projection.";

}  // namespace

Result<TextEmbedder> TextEmbedder::create(const TalkerConfig& config, const std::shared_ptr<const TensorSource>& source,
                                          std::shared_ptr<Device> device) {
  const std::vector<std::string> names = {kPrefix + "fc1.weight", kPrefix + "fc1.bias", kPrefix + "fc2.weight",
                                          kPrefix + "fc2.bias"};
  KZ_TRY(RowTable table, RowTable::open(source, "talker.text_embedding.weight"));
  std::shared_ptr<const TensorSource> stored = source;
  if (device->is_remote()) {
    stored = nn::with_types(source, [](const std::string&, const TensorInfo& info) {
      return nn::device_type(info, /*is_matrix=*/info.shape.num_dims() == 2);
    });
  }
  KZ_TRY(Weights weights, Weights::load(stored, *device, names));
  TextEmbedder embedder(std::move(table), std::move(weights));
  for (const int num_rows : kBatchSizes) {
    KZ_TRY(Batch batch, embedder.build(num_rows, config.text_hidden_size, device));
    embedder.batches_.push_back(std::move(batch));
  }
  return embedder;
}

Result<TextEmbedder::Batch> TextEmbedder::build(int num_rows, int text_width, std::shared_ptr<Device> device) const {
  const auto weight = [&](const char* name) { return weights_.get(kPrefix + name); };
  Graph g(/*max_nodes=*/32);
  const Tensor rows_in = g.input("text_rows", DType::f32, {num_rows, text_width});
  Tensor x = nn::linear(g, rows_in, weight("fc1.weight"), weight("fc1.bias"));
  x = nn::linear(g, nn::silu(g, x), weight("fc2.weight"), weight("fc2.bias"));
  const Tensor rows_out = g.output("projected", x);
  KZ_TRY(Plan plan, Plan::create(std::move(device), std::move(g)));
  return Batch{static_cast<size_t>(num_rows), rows_in, rows_out, std::move(plan)};
}

Status TextEmbedder::project(Batch& batch, std::span<const int32_t> ids, std::span<float> out) {
  const auto text_width = static_cast<size_t>(table_.width());
  rows_.assign(batch.num_rows * text_width, 0.0F);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= table_.num_rows()) {
      return Error{ErrorCode::bad_model, "text id " + std::to_string(ids[i]) +
                                             ": expected less than the text vocabulary of " +
                                             std::to_string(table_.num_rows())};
    }
    table_.add_row(ids[i], std::span(rows_).subspan(i * text_width, text_width));
  }
  batch.plan.set(batch.rows_in, std::span<const float>(rows_));
  KZ_RETURN_IF_ERROR(batch.plan.run());
  projected_.resize(static_cast<size_t>(batch.rows_out.rows() * batch.rows_out.channels()));
  batch.plan.get(batch.rows_out, projected_);
  std::copy_n(projected_.begin(), out.size(), out.begin());
  return ok();
}

Status TextEmbedder::embed(std::span<const int32_t> ids, std::vector<float>& out) {
  const auto width = static_cast<size_t>(batches_.front().rows_out.channels());
  out.resize(ids.size() * width);
  for (size_t first = 0; first < ids.size();) {
    const size_t left = ids.size() - first;
    Batch& batch = left <= batches_.front().num_rows ? batches_.front() : batches_.back();
    const size_t count = std::min(left, batch.num_rows);
    KZ_RETURN_IF_ERROR(project(batch, ids.subspan(first, count), std::span(out).subspan(first * width, count * width)));
    first += count;
  }
  return ok();
}

}  // namespace kazeia
