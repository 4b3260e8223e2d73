#include "nn/stream_state.h"

namespace kazeia::nn {

Tensor StreamState::next_context(int64_t rows, int64_t channels) {
  if (next_ == contexts_.size()) {
    KZ_CHECK(!allocated_ && static_cast<int>(contexts_.size()) < max_contexts_);
    contexts_.push_back(state_.add(DType::f32, {rows, channels}));
  }
  const Tensor context = contexts_[next_++];
  KZ_CHECK(context.rows() == rows && context.channels() == channels);
  return context;
}

Status StreamState::allocate(const Device& device) {
  if (allocated_) return ok();
  KZ_RETURN_IF_ERROR(state_.allocate(device));
  allocated_ = true;
  return ok();
}

}  // namespace kazeia::nn
