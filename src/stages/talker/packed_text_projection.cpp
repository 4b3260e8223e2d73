// The projection by the CPU's kernels, on quantised weights. text_projection.cpp is its oracle.
#include <algorithm>
#include <vector>

#include "base/thread_pool.h"
#include "nn/packed_matrix.h"
#include "stages/talker/text_projection.h"

namespace kazeia {
namespace {

// y = x W^T + bias
struct Linear {
  nn::PackedMatrix weight;
  std::vector<float> bias;  // [N]

  // Rows [M, K] -> y: [M, N], the worker's share of the columns, which it returns.
  WorkRange apply(ThreadPool::Worker& worker, const Kernels& kernels, const nn::QuantRows& x, int num_rows,
                  float* y) const {
    const int width = weight.num_rows();
    const WorkRange groups = worker.share(weight.num_groups(), /*unit=*/kGroup / kPackedRows);
    weight.multiply(kernels, x, num_rows, y, width, groups.begin, groups.end);
    const WorkRange columns = {groups.begin * kPackedRows, groups.end * kPackedRows};
    for (int m = 0; m < num_rows; ++m)
      kernels.add_scaled(bias.data() + columns.begin, 1.0F, y + int64_t{m} * width + columns.begin,
                         columns.end - columns.begin);
    return columns;
  }
};

class PackedTextProjection final : public TextProjection {
 public:
  PackedTextProjection(const Kernels& kernels, std::shared_ptr<Device> device, HugeArena arena, Linear fc1, Linear fc2)
      : kernels_(kernels),
        device_(std::move(device)),
        arena_(std::move(arena)),
        fc1_(std::move(fc1)),
        fc2_(std::move(fc2)),
        ones_(static_cast<size_t>(fc1_.weight.num_rows()), 1.0F) {}

  int width() const override { return fc2_.weight.num_rows(); }
  Status run(std::span<const float> rows, std::span<float> out) override;

 private:
  void run_batch(ThreadPool::Worker& worker, const float* rows, int num_rows, float* out);

  const Kernels& kernels_;
  std::shared_ptr<Device> device_;
  HugeArena arena_;  // holds the matrices
  Linear fc1_, fc2_;
  std::vector<float> ones_;  // [T]: silu is the gate of ones

  // Scratch of one batch.
  nn::QuantRows rows_q_, hidden_q_;
  std::vector<float> hidden_;  // [M, T]
};

// Called by all workers.
void PackedTextProjection::run_batch(ThreadPool::Worker& worker, const float* rows, int num_rows, float* out) {
  const int text_width = fc1_.weight.num_rows();
  const auto [begin, end] = worker.share(num_rows);
  for (int m = begin; m < end; ++m) rows_q_.quantize(kernels_, m, rows + int64_t{m} * text_width, 0, text_width);
  worker.barrier();

  const auto [first, last] = fc1_.apply(worker, kernels_, rows_q_, num_rows, hidden_.data());
  for (int m = 0; m < num_rows && first < last; ++m) {
    float* hidden = hidden_.data() + int64_t{m} * text_width;
    kernels_.swiglu(hidden + first, ones_.data(), hidden + first, last - first);
    hidden_q_.quantize(kernels_, m, hidden, first, last);
  }
  worker.barrier();

  fc2_.apply(worker, kernels_, hidden_q_, num_rows, out);
}

Status PackedTextProjection::run(std::span<const float> rows, std::span<float> out) {
  const int text_width = fc1_.weight.num_rows();
  const int num_rows = static_cast<int>(rows.size()) / text_width;
  hidden_.resize(std::max(hidden_.size(), rows.size()));
  rows_q_.resize(num_rows, text_width);
  hidden_q_.resize(num_rows, text_width);
  auto job = [&](ThreadPool::Worker& worker) { run_batch(worker, rows.data(), num_rows, out.data()); };
  device_->team().run(job);
  return ok();
}

Result<Linear> load_linear(const TensorSource& source, const std::string& name, HugeArena& arena) {
  Linear linear;
  KZ_TRY(linear.weight, nn::PackedMatrix::load(source, name + ".weight", arena));
  KZ_TRY(linear.bias, nn::read_floats(source, name + ".bias"));
  return linear;
}

}  // namespace

bool packed_text_projection_fits(const TensorSource& source) {
  for (const char* part : {"fc1.weight", "fc2.weight"}) {
    const TensorInfo* info = source.find(kTextProjection + part);
    if (!info || !nn::PackedMatrix::fits(*info)) return false;
  }
  return true;
}

Result<std::unique_ptr<TextProjection>> create_packed_text_projection(const TensorSource& source,
                                                                      std::shared_ptr<Device> device) {
  size_t num_bytes = 0;
  for (const char* part : {"fc1.weight", "fc2.weight"})
    num_bytes += arena_piece(nn::PackedMatrix::packed_bytes(*source.find(kTextProjection + part)));
  KZ_TRY(HugeArena arena, HugeArena::allocate(num_bytes));
  KZ_TRY(Linear fc1, load_linear(source, kTextProjection + "fc1", arena));
  KZ_TRY(Linear fc2, load_linear(source, kTextProjection + "fc2", arena));
  return std::unique_ptr<TextProjection>(std::make_unique<PackedTextProjection>(
      kernels(), std::move(device), std::move(arena), std::move(fc1), std::move(fc2)));
}

}  // namespace kazeia
