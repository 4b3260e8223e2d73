// The projection as ggml graphs: any device, any type of weights.
#include "stages/talker/text_projection.h"

#include <algorithm>
#include <vector>

#include "compute/plan.h"
#include "compute/weights.h"
#include "nn/device_rules.h"
#include "nn/nn.h"

namespace kazeia {
namespace {

// Rows projected by one run: most prompts take one of the large batch, and the text of a frame one of the small.
constexpr int kBatchSizes[] = {2, 32};

// Projects a fixed number of rows; a shorter batch is padded.
struct Batch {
  size_t num_rows;
  Tensor rows_in, rows_out;
  Plan plan;
};

class GraphTextProjection final : public TextProjection {
 public:
  explicit GraphTextProjection(Weights weights) : weights_(std::move(weights)) {}

  Status build(int num_rows, const std::shared_ptr<Device>& device);

  int width() const override { return static_cast<int>(batches_.front().rows_out.channels()); }
  Status run(std::span<const float> rows, std::span<float> out) override;

 private:
  Weights weights_;
  std::vector<Batch> batches_;  // the smallest first
  std::vector<float> padded_, projected_;
};

Status GraphTextProjection::build(int num_rows, const std::shared_ptr<Device>& device) {
  const auto weight = [&](const char* part) { return weights_.get(kTextProjection + part); };
  Graph g(/*max_nodes=*/32);
  const Tensor rows_in = g.input("text_rows", DType::f32, {num_rows, weight("fc1.weight").channels()});
  Tensor x = nn::linear(g, rows_in, weight("fc1.weight"), weight("fc1.bias"));
  x = nn::linear(g, nn::silu(g, x), weight("fc2.weight"), weight("fc2.bias"));
  const Tensor rows_out = g.output("projected", x);
  KZ_TRY(Plan plan, Plan::create(device, std::move(g)));
  batches_.push_back({static_cast<size_t>(num_rows), rows_in, rows_out, std::move(plan)});
  return ok();
}

Status GraphTextProjection::run(std::span<const float> rows, std::span<float> out) {
  const auto in_width = static_cast<size_t>(batches_.front().rows_in.channels());
  const auto out_width = static_cast<size_t>(width());
  while (!rows.empty()) {
    const size_t left = rows.size() / in_width;
    Batch& batch = left <= batches_.front().num_rows ? batches_.front() : batches_.back();
    const size_t count = std::min(left, batch.num_rows);
    const auto own = rows.first(count * in_width);
    padded_.assign(batch.num_rows * in_width, 0.0F);
    std::copy(own.begin(), own.end(), padded_.begin());
    batch.plan.set(batch.rows_in, std::span<const float>(padded_));
    KZ_RETURN_IF_ERROR(batch.plan.run());
    projected_.resize(batch.num_rows * out_width);
    batch.plan.get(batch.rows_out, projected_);
    std::copy_n(projected_.begin(), count * out_width, out.begin());
    rows = rows.subspan(own.size());
    out = out.subspan(count * out_width);
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<TextProjection>> create_graph_text_projection(const std::shared_ptr<const TensorSource>& source,
                                                                     std::shared_ptr<Device> device) {
  std::vector<std::string> names;
  for (const char* part : {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}) names.push_back(kTextProjection + part);
  std::shared_ptr<const TensorSource> stored = source;
  if (device->is_remote()) {
    stored = nn::with_types(source, [](const std::string&, const TensorInfo& info) {
      return nn::device_type(info, /*is_matrix=*/info.shape.num_dims() == 2);
    });
  }
  KZ_TRY(Weights weights, Weights::load(stored, *device, names));
  auto projection = std::make_unique<GraphTextProjection>(std::move(weights));
  for (const int num_rows : kBatchSizes) KZ_RETURN_IF_ERROR(projection->build(num_rows, device));
  return std::unique_ptr<TextProjection>(std::move(projection));
}

Result<std::unique_ptr<TextProjection>> create_text_projection(const std::shared_ptr<const TensorSource>& source,
                                                               std::shared_ptr<Device> device) {
  if (device->is_cpu() && packed_text_projection_fits(*source))
    return create_packed_text_projection(*source, std::move(device));
  return create_graph_text_projection(source, std::move(device));
}

}  // namespace kazeia
