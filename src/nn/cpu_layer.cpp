#include "nn/cpu_layer.h"

#include <algorithm>
#include <cmath>

namespace kazeia::nn {
namespace {

constexpr int kPagePositions = 64;

}  // namespace

void DenseLayer::apply(ThreadPool::Worker& worker, const Kernels& kernels, const float* x, int num_rows,
                       float* y) const {
  const auto [begin, end] = worker.share(out);
  for (int m = 0; m < num_rows; ++m)
    for (int o = begin; o < end; ++o)
      y[int64_t{m} * out + o] =
          kernels.dot(x + int64_t{m} * in, weight.data() + int64_t{o} * in, in) + bias[static_cast<size_t>(o)];
}

Status CpuKvCache::reserve(int num_positions) {
  while (static_cast<int>(pages_.size()) * kPagePositions < num_positions) {
    KZ_TRY(HugeBuffer page, HugeBuffer::allocate(2 * num_page_values() * sizeof(float)));
    pages_.push_back(std::move(page));
  }
  return ok();
}

size_t CpuKvCache::num_page_values() const {
  return static_cast<size_t>(config_.num_layers * config_.num_kv_heads * kPagePositions) *
         static_cast<size_t>(config_.head_size);
}

float* CpuKvCache::keys(int layer, int kv_head, int64_t position) const {
  const int64_t head = int64_t{layer} * config_.num_kv_heads + kv_head;
  auto* page = reinterpret_cast<float*>(pages_[static_cast<size_t>(position / kPagePositions)].data());
  return page + (head * kPagePositions + position % kPagePositions) * config_.head_size;
}

float* CpuKvCache::values(int layer, int kv_head, int64_t position) const {
  return keys(layer, kv_head, position) + num_page_values();
}

void CpuKvCache::store(int layer, int kv_head, int position, const float* key, const float* value) {
  std::copy_n(key, config_.head_size, keys(layer, kv_head, position));
  std::copy_n(value, config_.head_size, values(layer, kv_head, position));
}

// Page by page, so that the queries after the first find it in the caches.
void CpuKvCache::attend(const Kernels& kernels, int layer, int kv_head, int num_positions, int num_queries,
                        const float* queries, float* out) const {
  const int head_size = config_.head_size;
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  thread_local std::vector<float> weights;  // [num_queries, num_positions]
  weights.resize(static_cast<size_t>(num_queries) * static_cast<size_t>(num_positions));
  const auto for_each_page = [&](auto visit) {
    for (int first = 0; first < num_positions; first += kPagePositions)
      for (int64_t i = 0; i < num_queries; ++i)
        visit(first, std::min(kPagePositions, num_positions - first), i * head_size,
              weights.data() + i * num_positions + first);
  };

  for_each_page([&](int first, int count, int64_t query, float* w) {
    kernels.dot_rows(queries + query, keys(layer, kv_head, first), head_size, count, w);
  });
  for (int64_t i = 0; i < num_queries; ++i) {
    float* w = weights.data() + i * num_positions;
    for (int p = 0; p < num_positions; ++p) w[p] *= scale;
    const float sum = kernels.softmax_exp(w, num_positions);
    for (int p = 0; p < num_positions; ++p) w[p] /= sum;
  }
  std::fill_n(out, int64_t{num_queries} * head_size, 0.0F);
  for_each_page([&](int first, int count, int64_t query, const float* w) {
    kernels.add_rows(values(layer, kv_head, first), w, head_size, count, out + query);
  });
}

void RopeTable::reserve(int num_positions) {
  const auto half = static_cast<size_t>(half_);
  for (auto position = static_cast<int>(cos_.size() / half); position < num_positions; ++position) {
    for (size_t i = 0; i < half; ++i) {
      const float exponent = static_cast<float>(2 * i) / static_cast<float>(2 * half_);
      const float angle = static_cast<float>(position) * (1.0F / std::pow(theta_, exponent));
      cos_.push_back(std::cos(angle));
      sin_.push_back(std::sin(angle));
    }
  }
}

void rms_norm_row(const Kernels& kernels, const float* x, const float* weight, float eps, float* y, int width) {
  const float mean_square = kernels.dot(x, x, width) / static_cast<float>(width);
  const float scale = 1.0F / std::sqrt(mean_square + eps);
  for (int i = 0; i < width; ++i) y[i] = x[i] * scale * weight[i];
}

void rotate_head(const Kernels& kernels, float* head, const std::vector<float>& norm, const LayerStackConfig& config,
                 const RopeTable& rope, int position) {
  if (!norm.empty()) rms_norm_row(kernels, head, norm.data(), config.rms_norm_eps, head, config.head_size);
  const int half = config.head_size / 2;
  const float* c = rope.cosines(position);
  const float* s = rope.sines(position);
  for (int i = 0; i < half; ++i) {
    const float first = head[i];
    const float second = head[i + half];
    head[i] = first * c[i] - second * s[i];
    head[i + half] = second * c[i] + first * s[i];
  }
}

}  // namespace kazeia::nn
