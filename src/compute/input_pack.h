// The inputs of a graph side by side in one buffer of a device: they cross in one copy for each run, because every copy
// to a device costs a call of its driver.
#pragma once
#include <cstddef>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "compute/graph.h"

namespace kazeia {

class InputPack {
 public:
  // Gives memory to every input of the graph, which must have none yet. Some drivers read wrongly what doesn't start at
  // a multiple of 256 bytes, so all inputs do.
  static Result<InputPack> create(const Device& device, const Graph& graph);

  // Keeps the value for the next upload().
  void set(Tensor input, const void* data, size_t num_bytes);
  // Copies what was set since the last time, and what lies in between, to the device: the bytes that crossed.
  size_t upload();

 private:
  GgmlContextPtr context_;
  GgmlBufferPtr buffer_;
  ggml_tensor* whole_ = nullptr;  // the buffer as one tensor of bytes; null without inputs
  std::vector<std::byte> values_;
  size_t changed_begin_ = 0, changed_end_ = 0;
};

}  // namespace kazeia
