// The layer stack for the CPU with quantised weights: all threads walk through the layers together, with a barrier
// where one needs what another has made. Barriers cost more than short work: of a single row, every thread keeps the
// residual stream and its norms for itself, which leaves four barriers in a layer. Activations are quantised once for
// all products that read them. The same formulas as graph_stack.cpp, which is its oracle; names of the steps as there.
#include <algorithm>

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

  int keep(int num_positions) override { return position_ = std::min(position_, num_positions); }
  Status run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) override;
  void set_stop(std::stop_token stop) override { stop_ = std::move(stop); }
  void set_probe(LayerProbe probe) override { probe_ = std::move(probe); }

 private:
  Status make_room(int num_rows);
  void walk(Worker& worker, std::span<const float> rows);
  void begin_stream(Worker& worker, std::span<const float> rows);
  bool is_told_to_stop(Worker& worker);
  void layer(Worker& worker, const CpuLayerWeights& w, int index);
  WorkRange own_rows(Worker& worker) const;
  const QuantRows& normalise(Worker& worker, const std::vector<float>& weight);
  void add_to_stream(Worker& worker);
  void multiply(const PackedMatrix& w, const QuantRows& x, std::vector<float>& y, WorkRange groups) const;
  void project(Worker& worker, const CpuLayerWeights& w, const QuantRows& x);
  void attend(Worker& worker, const CpuLayerWeights& w, int index);
  void gate(Worker& worker, const CpuLayerWeights& w, const QuantRows& x);
  void report(Worker& worker, int layer);
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

  // The residual stream.
  struct Stream {
    std::vector<float> rows;    // [M, H]
    std::vector<float> normed;  // [M, H]
    QuantRows quantised;        // of normed
  };
  // A single row is in every worker's own stream, several rows are all in the first worker's.
  Stream& stream_of(Worker& worker) { return streams_[num_rows_ == 1 ? static_cast<size_t>(worker.index()) : 0]; }

  // Scratch of one batch of M rows.
  int num_rows_ = 0;
  std::vector<Stream> streams_;           // one for each worker
  std::vector<float> branch_;             // [M, H]: what attention or MLP adds to the stream
  std::vector<float> q_, k_, v_, mixed_;  // [M, heads * D], [M, kv_heads * D] twice, [M, heads * D]
  std::vector<float> gate_, up_;          // [M, I]
  QuantRows mixed_q_, gated_q_;
};

// ---- steps; each is called by all workers

// The rows of its stream that a worker computes: no other one touches them until a barrier.
WorkRange CpuStack::own_rows(Worker& worker) const {
  return num_rows_ == 1 ? WorkRange{0, 1} : worker.share(num_rows_);
}

// Returns rms_norm(stream) * weight, quantised, of all rows.
const QuantRows& CpuStack::normalise(Worker& worker, const std::vector<float>& weight) {
  const int width = spec_.config.hidden_size;
  Stream& stream = stream_of(worker);
  const auto [begin, end] = own_rows(worker);
  for (int m = begin; m < end; ++m) {
    const int64_t at = int64_t{m} * width;
    float* out = stream.normed.data() + at;
    rms_norm_row(weights_.kernels, stream.rows.data() + at, weight.data(), spec_.config.rms_norm_eps, out, width);
    stream.quantised.quantize(weights_.kernels, m, out, 0, width);
  }
  if (num_rows_ > 1) worker.barrier();
  return stream.quantised;
}

// The branch has to be whole; the rows that this adds to are the worker's own.
void CpuStack::add_to_stream(Worker& worker) {
  const int width = spec_.config.hidden_size;
  const auto [begin, end] = own_rows(worker);
  const int64_t at = int64_t{begin} * width;
  weights_.kernels.add_scaled(branch_.data() + at, 1.0F, stream_of(worker).rows.data() + at, (end - begin) * width);
}

// y = x W^T for those groups of 16 outputs.
void CpuStack::multiply(const PackedMatrix& w, const QuantRows& x, std::vector<float>& y, WorkRange groups) const {
  w.multiply(weights_.kernels, x, num_rows_, y.data(), w.num_rows(), groups.begin, groups.end);
}

// Queries, keys and values. Where key heads can be shared out evenly, a worker makes just those that it needs itself in
// attend(), and nobody waits.
void CpuStack::project(Worker& worker, const CpuLayerWeights& w, const QuantRows& x) {
  const LayerStackConfig& config = spec_.config;
  const bool is_even = config.num_kv_heads % worker.count() == 0 && config.head_size % kPackedRows == 0;
  const int unit = is_even ? config.head_size / kPackedRows : 1;
  const WorkRange keys = worker.share(w.k_proj.num_groups(), unit);
  multiply(w.q_proj, x, q_, worker.share(w.q_proj.num_groups(), unit * config.num_heads / config.num_kv_heads));
  multiply(w.k_proj, x, k_, keys);
  multiply(w.v_proj, x, v_, keys);
  if (!is_even) worker.barrier();
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

// gated_q_ = silu(gate) * up, quantised. A worker gates the columns that it has just made itself: whole groups of 32.
void CpuStack::gate(Worker& worker, const CpuLayerWeights& w, const QuantRows& x) {
  const WorkRange groups = worker.share(w.gate_proj.num_groups(), /*unit=*/2);
  multiply(w.gate_proj, x, gate_, groups);
  multiply(w.up_proj, x, up_, groups);
  const int64_t width = w.gate_proj.num_rows();
  const int first = groups.begin * kPackedRows;
  const int last = groups.end * kPackedRows;
  for (int m = 0; m < num_rows_ && first < last; ++m) {
    float* gate = gate_.data() + m * width;
    weights_.kernels.swiglu(gate + first, up_.data() + m * width + first, gate + first, last - first);
    gated_q_.quantize(weights_.kernels, m, gate, first, last);
  }
  worker.barrier();
}

// Afterwards the worker's own rows of the stream are those of the layer's output.
void CpuStack::layer(Worker& worker, const CpuLayerWeights& w, int index) {
  const auto share = [&](const PackedMatrix& matrix) { return worker.share(matrix.num_groups()); };
  project(worker, w, normalise(worker, w.input_norm));
  attend(worker, w, index);
  multiply(w.o_proj, mixed_q_, branch_, share(w.o_proj));
  worker.barrier();
  add_to_stream(worker);

  gate(worker, w, normalise(worker, w.post_attention_norm));
  multiply(w.down_proj, gated_q_, branch_, share(w.down_proj));
  worker.barrier();
  add_to_stream(worker);
}

// ---- runs

void CpuStack::report(Worker& worker, int layer) {
  worker.barrier();  // all rows are there
  if (worker.index() == 0)
    probe_(layer, std::span(stream_of(worker).rows).first(static_cast<size_t>(num_rows_ * spec_.config.hidden_size)));
  worker.barrier();
}

// Scratch, cache and tables for num_rows more rows.
Status CpuStack::make_room(int num_rows) {
  const LayerStackConfig& config = spec_.config;
  num_rows_ = num_rows;
  const auto fit = [&](std::vector<float>& values, int width, int rows) {
    values.resize(std::max(values.size(), static_cast<size_t>(rows) * static_cast<size_t>(width)));
  };
  streams_.resize(static_cast<size_t>(device_->team().num_threads()));
  for (Stream& stream : streams_) {
    const int rows = &stream == &streams_.front() ? num_rows : 1;
    fit(stream.rows, config.hidden_size, rows);
    fit(stream.normed, config.hidden_size, rows);
    stream.quantised.resize(rows, config.hidden_size);
  }
  fit(branch_, config.hidden_size, num_rows);
  fit(q_, config.num_heads * config.head_size, num_rows);
  fit(mixed_, config.num_heads * config.head_size, num_rows);
  fit(k_, config.num_kv_heads * config.head_size, num_rows);
  fit(v_, config.num_kv_heads * config.head_size, num_rows);
  fit(gate_, config.intermediate_size, num_rows);
  fit(up_, config.intermediate_size, num_rows);
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

// The stream begins as the rows, or as their projection.
void CpuStack::begin_stream(Worker& worker, std::span<const float> rows) {
  const float* source = rows.data();
  if (weights_.input_proj) {
    weights_.input_proj->apply(worker, weights_.kernels, source, num_rows_, branch_.data());
    worker.barrier();
    source = branch_.data();
  }
  const int width = spec_.config.hidden_size;
  const auto [begin, end] = own_rows(worker);
  std::copy(source + int64_t{begin} * width, source + int64_t{end} * width,
            stream_of(worker).rows.data() + int64_t{begin} * width);
}

// The rows through all layers, or until a stop.
void CpuStack::walk(Worker& worker, std::span<const float> rows) {
  begin_stream(worker, rows);
  for (int i = 0; i < spec_.config.num_layers && !is_told_to_stop(worker); ++i) {
    layer(worker, weights_.layers[static_cast<size_t>(i)], i);
    if (probe_) report(worker, i);
  }
}

// The last row through the final norm and one head.
void CpuStack::answer(Worker& worker, int head, std::span<float> hidden, std::span<float> logits) {
  if (num_rows_ > 1) worker.barrier();  // until its worker has made the last row
  const int width = spec_.config.hidden_size;
  const float* last = stream_of(worker).rows.data() + int64_t{num_rows_ - 1} * width;
  Stream& own = streams_[static_cast<size_t>(worker.index())];
  rms_norm_row(weights_.kernels, last, weights_.norm.data(), spec_.config.rms_norm_eps, own.normed.data(), width);
  own.quantised.quantize(weights_.kernels, 0, own.normed.data(), 0, width);
  if (worker.index() == 0) std::copy_n(own.normed.data(), width, hidden.data());
  const PackedMatrix& matrix = weights_.heads[static_cast<size_t>(head)];
  const auto [begin, end] = worker.share(matrix.num_groups());
  matrix.multiply(weights_.kernels, own.quantised, 1, logits.data(), matrix.num_rows(), begin, end);
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
