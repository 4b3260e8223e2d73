// What the CPU's layer stack is made of: packed weights, a cache of plain rows, rotation tables.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/huge_buffer.h"
#include "base/thread_pool.h"
#include "nn/layer_stack.h"
#include "nn/packed_matrix.h"

namespace kazeia::nn {

struct CpuLayerWeights {
  std::vector<float> input_norm, post_attention_norm;  // [H]
  std::vector<float> q_norm, k_norm;                   // [D]; empty for none
  PackedMatrix q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj;
};

// y = W x + b in floats: the projection into the code predictor, whose weights may be of any type.
struct DenseLayer {
  std::vector<float> weight, bias;  // [out, in], [out]
  int in = 0, out = 0;

  // x: [M, in] -> y: [M, out]; each worker computes its share of the outputs.
  void apply(ThreadPool::Worker& worker, const Kernels& kernels, const float* x, int num_rows, float* y) const;
};

struct CpuStackWeights {
  const Kernels& kernels;
  std::optional<DenseLayer> input_proj;
  std::vector<CpuLayerWeights> layers;
  std::vector<float> norm;  // [H]
  std::vector<PackedMatrix> heads;
  HugeArena arena;  // holds all packed matrices
};

// The spec and every matrix of it must fit: see cpu_stack_fits().
Result<CpuStackWeights> load_cpu_stack(const StackSpec& spec, const TensorSource& source);

// Keys and values of all layers as floats, in pages of some positions: the cache grows as positions come, without a
// copy of those that are there.
class CpuKvCache {
 public:
  explicit CpuKvCache(const LayerStackConfig& config) : config_(config) {}

  // Room for positions [0, num_positions); keeps what is stored.
  Status reserve(int num_positions);
  void store(int layer, int kv_head, int position, const float* key, const float* value);
  // out: [num_queries, D], of each query the sum over the first num_positions of softmax(query . key / sqrt D) value.
  // The queries share the key head, so its keys and values come from memory once for all of them.
  void attend(const Kernels& kernels, int layer, int kv_head, int num_positions, int num_queries, const float* queries,
              float* out) const;

 private:
  // A head's keys or values in the page of that position, beginning with this position's.
  float* keys(int layer, int kv_head, int64_t position) const;
  float* values(int layer, int kv_head, int64_t position) const;
  size_t num_page_values() const;  // as many keys as values

  LayerStackConfig config_;
  std::vector<HugeBuffer> pages_;  // keys [layers][kv_heads][positions of a page][D], then values likewise
};

// cos and sin of position * theta^(-2 i / D), i < D / 2, as the official rotary embedding computes them in floats.
class RopeTable {
 public:
  explicit RopeTable(const LayerStackConfig& config) : half_(config.head_size / 2), theta_(config.rope_theta) {}
  void reserve(int num_positions);
  const float* cosines(int position) const { return cos_.data() + static_cast<size_t>(position * half_); }
  const float* sines(int position) const { return sin_.data() + static_cast<size_t>(position * half_); }

 private:
  int half_;
  float theta_;
  std::vector<float> cos_, sin_;
};

// y = x / rms(x) * weight
void rms_norm_row(const Kernels& kernels, const float* x, const float* weight, float eps, float* y, int width);

// One head [D], in place: normalised where `norm` is not empty, then rotated.
void rotate_head(const Kernels& kernels, float* head, const std::vector<float>& norm, const LayerStackConfig& config,
                 const RopeTable& rope, int position);

}  // namespace kazeia::nn
