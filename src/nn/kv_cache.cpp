#include "nn/kv_cache.h"

#include <algorithm>
#include <limits>

namespace kazeia::nn {
namespace {

// Copies the rows of one tensor to the start of another's, whose rows may be longer: one transfer each way, because a
// device makes each one dear.
void copy_rows(ggml_tensor* from, ggml_tensor* to) {
  std::vector<std::byte> old_bytes(ggml_nbytes(from));
  std::vector<std::byte> new_bytes(ggml_nbytes(to));
  ggml_backend_tensor_get(from, old_bytes.data(), 0, old_bytes.size());
  for (int64_t i = 0; i < from->ne[1]; ++i) {
    const auto row = static_cast<size_t>(i);
    std::copy_n(old_bytes.data() + row * from->nb[1], from->nb[1], new_bytes.data() + row * to->nb[1]);
  }
  ggml_backend_tensor_set(to, new_bytes.data(), 0, new_bytes.size());
}

}  // namespace

Result<KvCache> KvCache::create(std::shared_ptr<Device> device, const LayerStackConfig& config, DType dtype,
                                int num_slots, int window) {
  KvCache cache(std::move(device), config, dtype, window);
  KZ_RETURN_IF_ERROR(cache.allocate(num_slots));
  return cache;
}

Status KvCache::allocate(int num_slots) {
  auto state = std::make_unique<State>(2 * config_.num_layers);
  std::vector<KvLayer> layers;
  for (int i = 0; i < config_.num_layers; ++i) {
    const Tensor keys = state->add(dtype_, {num_slots, width()});
    layers.push_back({keys, state->add(dtype_, {width(), num_slots})});
  }
  KZ_RETURN_IF_ERROR(state->allocate(*device_));
  state_ = std::move(state);
  layers_ = std::move(layers);
  num_slots_ = num_slots;
  return ok();
}

Status KvCache::reserve(int num_slots) {
  if (num_slots <= num_slots_) return ok();
  const std::unique_ptr<State> old_state = std::move(state_);
  const std::vector<KvLayer> old_layers = layers_;
  KZ_RETURN_IF_ERROR(allocate(num_slots));
  for (size_t i = 0; i < layers_.size(); ++i) {
    copy_rows(old_layers[i].keys.node, layers_[i].keys.node);
    copy_rows(old_layers[i].values.node, layers_[i].values.node);
  }
  return ok();
}

AttentionInputs KvCache::inputs(Graph& g, int num_rows, int slots_in_use) const {
  KZ_CHECK(num_rows <= slots_in_use && slots_in_use <= num_slots_);
  return {.positions = g.input_i32("positions", num_rows),
          .key_slots = g.input_i64("key_slots", num_rows),
          .value_cells = g.input_i64("value_cells", int64_t{num_rows} * width()),
          .mask = g.input("mask", DType::f32, {num_rows, slots_in_use})};
}

AttentionInputs KvCache::add_constants(State& constants, const LayerStackConfig& config, int num_rows,
                                       int slots_in_use) {
  return {.positions = constants.add_i32(num_rows),
          .key_slots = constants.add_i64(num_rows),
          .value_cells = constants.add_i64(int64_t{num_rows} * config.num_kv_heads * config.head_size),
          .mask = constants.add(DType::f32, {num_rows, slots_in_use})};
}

void KvCache::compute_inputs(const AttentionInputs& in, int64_t first_position) {
  const int64_t num_rows = in.mask.rows();
  const int64_t slots_in_use = in.mask.channels();
  const int64_t last = first_position + num_rows - 1;
  KZ_CHECK(window_ > 0 || last < slots_in_use);
  positions_.resize(static_cast<size_t>(num_rows));
  slots_.resize(static_cast<size_t>(num_rows));
  cells_.clear();
  mask_.assign(static_cast<size_t>(num_rows * slots_in_use), -std::numeric_limits<float>::infinity());
  for (int64_t row = 0; row < num_rows; ++row) {
    const int64_t position = first_position + row;
    const int64_t slot = position % num_slots_;
    positions_[static_cast<size_t>(row)] = static_cast<int32_t>(position);
    slots_[static_cast<size_t>(row)] = slot;
    for (int64_t channel = 0; channel < width(); ++channel) cells_.push_back(channel * num_slots_ + slot);
    const int64_t oldest = window_ > 0 ? std::max<int64_t>(0, position - window_ + 1) : 0;
    for (int64_t seen = oldest; seen <= position; ++seen)
      mask_[static_cast<size_t>(row * slots_in_use + seen % num_slots_)] = 0.0F;
  }
}

void KvCache::set_inputs(Plan& plan, const AttentionInputs& in, int64_t first_position) {
  compute_inputs(in, first_position);
  plan.set(in.positions, std::span<const int32_t>(positions_));
  plan.set(in.key_slots, std::span<const int64_t>(slots_));
  plan.set(in.value_cells, std::span<const int64_t>(cells_));
  plan.set(in.mask, std::span<const float>(mask_));
}

void KvCache::set_constants(const AttentionInputs& in, int64_t first_position) {
  compute_inputs(in, first_position);
  State::set(in.positions, std::span<const int32_t>(positions_));
  State::set(in.key_slots, std::span<const int64_t>(slots_));
  State::set(in.value_cells, std::span<const int64_t>(cells_));
  State::set(in.mask, std::span<const float>(mask_));
}

}  // namespace kazeia::nn
