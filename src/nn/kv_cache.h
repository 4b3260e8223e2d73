// Keys and values of a whole layer stack, and the graph inputs that say where new ones go and what each query sees.
#pragma once
#include <memory>
#include <vector>

#include "compute/plan.h"
#include "nn/nn.h"

namespace kazeia::nn {

// Position p lives in slot p mod num_slots. A stack without a window must never wrap: see reserve().
class KvCache {
 public:
  // window: positions that a query sees, itself included; 0 for all earlier ones.
  static Result<KvCache> create(std::shared_ptr<Device> device, const LayerStackConfig& config, DType dtype,
                                int num_slots, int window);

  // More slots, keeping what is stored. Graphs built over the old layers must be built anew.
  Status reserve(int num_slots);

  const KvLayer& layer(int index) const { return layers_[static_cast<size_t>(index)]; }
  int num_slots() const { return num_slots_; }
  void clear() { state_->clear(); }

  // The shared inputs of a graph over num_rows new positions that attends over the first slots_in_use slots.
  AttentionInputs inputs(Graph& g, int num_rows, int slots_in_use) const;
  // Sets them for the positions first .. first + num_rows - 1.
  void set_inputs(Plan& plan, const AttentionInputs& in, int64_t first_position);

  // The same for a graph whose positions never change: constants, in the cache's own device memory.
  static AttentionInputs add_constants(State& constants, const LayerStackConfig& config, int num_rows,
                                       int slots_in_use);
  void set_constants(const AttentionInputs& in, int64_t first_position);

 private:
  KvCache(std::shared_ptr<Device> device, const LayerStackConfig& config, DType dtype, int window)
      : device_(std::move(device)), config_(config), dtype_(dtype), window_(window) {}
  Status allocate(int num_slots);
  void compute_inputs(const AttentionInputs& in, int64_t first_position);
  int width() const { return config_.num_kv_heads * config_.head_size; }

  std::shared_ptr<Device> device_;
  LayerStackConfig config_;
  DType dtype_;
  int window_ = 0;
  int num_slots_ = 0;
  std::unique_ptr<State> state_;
  std::vector<KvLayer> layers_;
  // What compute_inputs() computed; members, so that a step allocates nothing.
  std::vector<int32_t> positions_;
  std::vector<int64_t> slots_, cells_;
  std::vector<float> mask_;
};

}  // namespace kazeia::nn
