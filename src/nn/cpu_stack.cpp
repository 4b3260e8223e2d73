// The layer stack for the CPU with quantised weights: every thread walks through the layers together, with a barrier
// where one needs what another has made. Activations are quantised once for all products that read them.
// The same formulas as graph_stack.cpp, which is its oracle; names of the steps as there.
#include <cmath>
#include <cstring>

#include "base/thread_pool.h"
#include "nn/cpu_layer.h"
#include "nn/layer_stack.h"

namespace kazeia::nn {
namespace {

// Rows that one pass over the weights takes: enough for most prompts, and bounds the scratch of a long one.
constexpr int kMaxRows = 64;

using Worker = ThreadPool::Worker;

class CpuStack final : public LayerStack {
 public:
  CpuStack(const StackSpec& spec, std::shared_ptr<Device> device, CpuStackWeights weights)
      : spec_(spec),
        device_(std::move(device)),
        weights_(std::move(weights)),
        cache_(spec.config),
        rope_(spec.config) {}

  void reset() override { position_ = 0; }
  Status run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) override;
  void set_stop(std::stop_token stop) override { stop_ = std::move(stop); }
  void set_probe(LayerProbe probe) override { probe_ = std::move(probe); }

 private:
  Status make_room(int num_rows);
  void walk(Worker& worker, std::span<const float> rows);
  bool is_told_to_stop(Worker& worker);
  void layer(Worker& worker, const CpuLayerWeights& w, int index);
  void normalise(Worker& worker, const std::vector<float>& weight);
  void multiply(Worker& worker, const PackedMatrix& w, const QuantRows& x, std::vector<float>& y);
  void add_to_stream(Worker& worker);
  void attend(Worker& worker, const CpuLayerWeights& w, int index);
  void report(int layer);
  void answer(Worker& worker, int head, std::span<float> hidden, std::span<float> logits);

  StackSpec spec_;
  std::shared_ptr<Device> device_;
  CpuStackWeights weights_;
  CpuKvCache cache_;
  RopeTable rope_;
  LayerProbe probe_;
  std::stop_token stop_;
  bool stopped_ = false;  // in the middle of this run
  int position_ = 0;      // of the first row of the batch

  // Scratch of one batch of M rows.
  int num_rows_ = 0;
  std::vector<float> stream_;             // [M, H]: the residual stream
  std::vector<float> normed_;             // [M, H]
  std::vector<float> branch_;             // [M, H]: what attention or MLP adds to it
  std::vector<float> q_, k_, v_, mixed_;  // [M, heads * D], [M, kv_heads * D] twice, [M, heads * D]
  std::vector<float> gate_, up_;          // [M, I]
  QuantRows normed_q_, mixed_q_, gated_q_;
};

// ---- steps; each is called by all workers, and ends where the next one may start

// normed_ = rms_norm(stream_) * weight, quantised. Rows are shared out.
void CpuStack::normalise(Worker& worker, const std::vector<float>& weight) {
  const int width = spec_.config.hidden_size;
  const auto [begin, end] = worker.share(num_rows_);
  for (int m = begin; m < end; ++m) {
    float* out = normed_.data() + int64_t{m} * width;
    rms_norm_row(weights_.kernels, stream_.data() + int64_t{m} * width, weight.data(), spec_.config.rms_norm_eps, out,
                 width);
    normed_q_.quantize(weights_.kernels, m, out, 0, width);
  }
  worker.barrier();
}

// This worker's share of y = x W^T. No barrier: several products may read the same x.
void CpuStack::multiply(Worker& worker, const PackedMatrix& w, const QuantRows& x, std::vector<float>& y) {
  const auto [begin, end] = worker.share(w.num_groups(), /*unit=*/2);
  w.multiply(weights_.kernels, x, num_rows_, y.data(), w.num_rows(), begin, end);
}

void CpuStack::add_to_stream(Worker& worker) {
  worker.barrier();
  const auto [begin, end] = worker.share(num_rows_ * spec_.config.hidden_size, /*unit=*/64);
  weights_.kernels.add_scaled(branch_.data() + begin, 1.0F, stream_.data() + begin, end - begin);
  worker.barrier();
}

// Each worker owns some key heads: it stores their new keys and values, then answers the queries that read them.
void CpuStack::attend(Worker& worker, const CpuLayerWeights& w, int index) {
  const LayerStackConfig& config = spec_.config;
  const int group = config.num_heads / config.num_kv_heads;
  const auto [begin, end] = worker.share(config.num_kv_heads);
  for (int kv_head = begin; kv_head < end; ++kv_head) {
    for (int m = 0; m < num_rows_; ++m) {
      const int position = position_ + m;
      const int64_t at = (int64_t{m} * config.num_kv_heads + kv_head) * config.head_size;
      rotate_head(weights_.kernels, k_.data() + at, w.k_norm, config, rope_, position);
      cache_.store(index, kv_head, position, k_.data() + at, v_.data() + at);
    }
    for (int m = 0; m < num_rows_; ++m) {
      const int first = kv_head * group * config.head_size;
      const int64_t row = int64_t{m} * config.num_heads * config.head_size;
      const int64_t at = row + first;
      for (int i = 0; i < group; ++i)
        rotate_head(weights_.kernels, q_.data() + at + int64_t{i} * config.head_size, w.q_norm, config, rope_,
                    position_ + m);
      cache_.attend(weights_.kernels, index, kv_head, position_ + m + 1, group, q_.data() + at, mixed_.data() + at);
      mixed_q_.quantize(weights_.kernels, m, mixed_.data() + row, first, first + group * config.head_size);
    }
  }
  worker.barrier();
}

void CpuStack::layer(Worker& worker, const CpuLayerWeights& w, int index) {
  normalise(worker, w.input_norm);
  multiply(worker, w.q_proj, normed_q_, q_);
  multiply(worker, w.k_proj, normed_q_, k_);
  multiply(worker, w.v_proj, normed_q_, v_);
  worker.barrier();
  attend(worker, w, index);
  multiply(worker, w.o_proj, mixed_q_, branch_);
  add_to_stream(worker);

  normalise(worker, w.post_attention_norm);
  multiply(worker, w.gate_proj, normed_q_, gate_);
  multiply(worker, w.up_proj, normed_q_, up_);
  // A worker gates the columns that it has just made itself: whole groups of 32, see multiply().
  const auto [begin, end] = worker.share(w.gate_proj.num_groups(), /*unit=*/2);
  const int width = w.gate_proj.num_rows();
  for (int m = 0; m < num_rows_ && begin < end; ++m) {
    float* gate = gate_.data() + int64_t{m} * width;
    const int first = begin * kPackedRows;
    const int last = end * kPackedRows;
    weights_.kernels.swiglu(gate + first, up_.data() + int64_t{m} * width + first, gate + first, last - first);
    gated_q_.quantize(weights_.kernels, m, gate, first, last);
  }
  worker.barrier();
  multiply(worker, w.down_proj, gated_q_, branch_);
  add_to_stream(worker);
}

// ---- runs

void CpuStack::report(int layer) {
  probe_(layer, std::span(stream_).first(static_cast<size_t>(num_rows_ * spec_.config.hidden_size)));
}

// Scratch, cache and tables for num_rows more rows.
Status CpuStack::make_room(int num_rows) {
  const LayerStackConfig& config = spec_.config;
  num_rows_ = num_rows;
  const auto fit = [&](std::vector<float>& values, int width) {
    values.resize(std::max(values.size(), static_cast<size_t>(num_rows) * static_cast<size_t>(width)));
  };
  fit(stream_, config.hidden_size);
  fit(normed_, config.hidden_size);
  fit(branch_, config.hidden_size);
  fit(q_, config.num_heads * config.head_size);
  fit(mixed_, config.num_heads * config.head_size);
  fit(k_, config.num_kv_heads * config.head_size);
  fit(v_, config.num_kv_heads * config.head_size);
  fit(gate_, config.intermediate_size);
  fit(up_, config.intermediate_size);
  normed_q_.resize(num_rows, config.hidden_size);
  mixed_q_.resize(num_rows, config.num_heads * config.head_size);
  gated_q_.resize(num_rows, config.intermediate_size);
  KZ_RETURN_IF_ERROR(cache_.reserve(position_ + num_rows));
  rope_.reserve(position_ + num_rows);
  return ok();
}

// One worker asks for all of them, so that none waits at a barrier for another that has left.
bool CpuStack::is_told_to_stop(Worker& worker) {
  if (num_rows_ == 1 || !stop_.stop_possible()) return false;
  if (worker.index() == 0) stopped_ = stop_.stop_requested();
  worker.barrier();
  return stopped_;
}

// The rows through all layers, into stream_, or until a stop.
void CpuStack::walk(Worker& worker, std::span<const float> rows) {
  if (weights_.input_proj) {
    weights_.input_proj->apply(worker, weights_.kernels, rows.data(), num_rows_, stream_.data());
  } else if (worker.index() == 0) {
    std::memcpy(stream_.data(), rows.data(), rows.size_bytes());
  }
  worker.barrier();
  for (int i = 0; i < spec_.config.num_layers && !is_told_to_stop(worker); ++i) {
    layer(worker, weights_.layers[static_cast<size_t>(i)], i);
    if (probe_ && worker.index() == 0) report(i);
    if (probe_) worker.barrier();
  }
}

// The last row through the final norm and one head.
void CpuStack::answer(Worker& worker, int head, std::span<float> hidden, std::span<float> logits) {
  const int width = spec_.config.hidden_size;
  if (worker.index() == 0) {
    const float* last = stream_.data() + int64_t{num_rows_ - 1} * width;
    rms_norm_row(weights_.kernels, last, weights_.norm.data(), spec_.config.rms_norm_eps, hidden.data(), width);
    normed_q_.quantize(weights_.kernels, 0, hidden.data(), 0, width);
  }
  worker.barrier();
  const PackedMatrix& matrix = weights_.heads[static_cast<size_t>(head)];
  const auto [begin, end] = worker.share(matrix.num_groups());
  matrix.multiply(weights_.kernels, normed_q_, 1, logits.data(), matrix.num_rows(), begin, end);
}

Status CpuStack::run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) {
  const auto width = static_cast<size_t>(spec_.input_width);
  stopped_ = false;
  while (!rows.empty()) {
    const size_t num_rows = std::min<size_t>(rows.size() / width, kMaxRows);
    const auto batch = rows.first(num_rows * width);
    const bool is_last = batch.size() == rows.size();
    KZ_RETURN_IF_ERROR(make_room(static_cast<int>(num_rows)));
    auto job = [&](Worker& worker) {
      walk(worker, batch);
      if (is_last && !stopped_) answer(worker, head, hidden, logits);
    };
    device_->team().run(job);
    if (stopped_) return stopped_early(spec_);
    position_ += static_cast<int>(num_rows);
    rows = rows.subspan(batch.size());
  }
  if (probe_) probe_(spec_.config.num_layers, hidden);
  return ok();
}

}  // namespace

Result<std::unique_ptr<LayerStack>> create_cpu_stack(const StackSpec& spec, const TensorSource& source,
                                                     std::shared_ptr<Device> device) {
  KZ_TRY(CpuStackWeights weights, load_cpu_stack(spec, source));
  return std::unique_ptr<LayerStack>(std::make_unique<CpuStack>(spec, std::move(device), std::move(weights)));
}

}  // namespace kazeia::nn
