// Tensors that keep their values from one run to the next: KV caches, left contexts of streaming layers.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "compute/tensor.h"

namespace kazeia {

// Declare every tensor with add(), then allocate() once; graphs may refer to the tensors before that.
class State {
 public:
  explicit State(int max_tensors);

  Tensor add(DType dtype, const Shape& shape);
  // Numbers of positions or rows: [count]
  Tensor add_i32(int64_t count);
  Tensor add_i64(int64_t count);
  // All values start at zero.
  Status allocate(const Device& device);
  // Writes a whole tensor, after allocate().
  static void set(Tensor tensor, std::span<const float> values);
  static void set(Tensor tensor, std::span<const int32_t> values);
  static void set(Tensor tensor, std::span<const int64_t> values);
  // Back to zero: the start of a new utterance.
  void clear();

 private:
  GgmlContextPtr context_;
  GgmlBufferPtr buffer_;
};

}  // namespace kazeia
