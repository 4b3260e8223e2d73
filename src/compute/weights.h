// Weights of one stage in the memory of its device. On the CPU a tensor that the file holds as it is stays in the
// mapped file: its pages are read when first used and shared between processes.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "compute/tensor.h"
#include "formats/tensor_source.h"

namespace kazeia {

class Weights {
 public:
  // names: every tensor that the stage needs. Errors name file and tensor.
  static Result<Weights> load(std::shared_ptr<const TensorSource> source, const Device& device,
                              const std::vector<std::string>& names);

  // The tensor must be one of `names`.
  Tensor get(const std::string& name) const;
  // Empty if the stage was loaded without it.
  Tensor find(const std::string& name) const;

  size_t mapped_bytes() const { return mapped_bytes_; }
  size_t copied_bytes() const { return copied_bytes_; }

 private:
  Weights() = default;

  std::shared_ptr<const TensorSource> source_;  // mapped tensors point into it
  GgmlContextPtr context_;
  std::vector<GgmlBufferPtr> buffers_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  size_t mapped_bytes_ = 0, copied_bytes_ = 0;
};

}  // namespace kazeia
