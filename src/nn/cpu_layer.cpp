#include "nn/cpu_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compute/quantize.h"

namespace kazeia::nn {
namespace {

constexpr int kCacheStep = 256;
constexpr int kMaxHeadSize = 512;

}  // namespace

void DenseLayer::apply(ThreadPool::Worker& worker, const Kernels& kernels, const float* x, int num_rows,
                       float* y) const {
  const auto [begin, end] = worker.share(out);
  for (int m = 0; m < num_rows; ++m)
    for (int o = begin; o < end; ++o)
      y[int64_t{m} * out + o] =
          kernels.dot(x + int64_t{m} * in, weight.data() + int64_t{o} * in, in) + bias[static_cast<size_t>(o)];
}

void CpuKvCache::reserve(int num_positions) {
  if (num_positions <= capacity_) return;
  const CpuKvCache old = std::move(*this);
  config_ = old.config_;
  capacity_ = (num_positions + kCacheStep - 1) / kCacheStep * kCacheStep;
  const size_t count = at(config_.num_layers, 0, 0);
  keys_.assign(count, 0.0F);
  values_.assign(count, 0.0F);
  const auto stored = static_cast<std::ptrdiff_t>(old.capacity_) * config_.head_size;
  for (int layer = 0; layer < config_.num_layers; ++layer) {
    for (int head = 0; head < config_.num_kv_heads; ++head) {
      std::copy_n(old.keys_.data() + old.at(layer, head, 0), stored, keys_.data() + at(layer, head, 0));
      std::copy_n(old.values_.data() + old.at(layer, head, 0), stored, values_.data() + at(layer, head, 0));
    }
  }
}

size_t CpuKvCache::at(int layer, int kv_head, int position) const {
  const size_t head =
      static_cast<size_t>(layer) * static_cast<size_t>(config_.num_kv_heads) + static_cast<size_t>(kv_head);
  return (head * static_cast<size_t>(capacity_) + static_cast<size_t>(position)) *
         static_cast<size_t>(config_.head_size);
}

void CpuKvCache::store(int layer, int kv_head, int position, const float* key, const float* value) {
  std::copy_n(key, config_.head_size, keys_.data() + at(layer, kv_head, position));
  std::copy_n(value, config_.head_size, values_.data() + at(layer, kv_head, position));
}

void CpuKvCache::attend(const Kernels& kernels, int layer, int kv_head, int num_positions, int num_queries,
                        const float* queries, float* out) const {
  const int head_size = config_.head_size;
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  const float* keys = keys_.data() + at(layer, kv_head, 0);
  const float* values = values_.data() + at(layer, kv_head, 0);
  thread_local std::vector<float> weights;  // [num_queries, num_positions]
  weights.resize(static_cast<size_t>(num_queries) * static_cast<size_t>(num_positions));
  for (int64_t p = 0; p < num_positions; ++p)
    for (int64_t i = 0; i < num_queries; ++i)
      weights[static_cast<size_t>(i * num_positions + p)] =
          kernels.dot(queries + i * head_size, keys + p * head_size, head_size) * scale;
  for (int64_t i = 0; i < num_queries; ++i) {
    float* w = weights.data() + i * num_positions;
    const float sum = kernels.softmax_exp(w, num_positions);
    for (int p = 0; p < num_positions; ++p) w[p] /= sum;
  }
  std::fill_n(out, int64_t{num_queries} * head_size, 0.0F);
  for (int64_t p = 0; p < num_positions; ++p)
    for (int64_t i = 0; i < num_queries; ++i)
      kernels.add_scaled(values + p * head_size, weights[static_cast<size_t>(i * num_positions + p)],
                         out + i * head_size, head_size);
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
