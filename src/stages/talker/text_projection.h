// Text embeddings -> the talker's input width: fc2(silu(fc1(x))).
// Source: Qwen3TTSTalkerResizeMLP as text_projection (modeling_qwen3_tts.py:808, 1574).
//
// One meaning, two lowerings: text_projection.cpp builds ggml graphs for any device and type of weights;
// packed_text_projection.cpp multiplies quantised weights by the CPU's kernels.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "compute/device.h"
#include "formats/tensor_source.h"

namespace kazeia {

// The prefix of its tensors' names: fc1 and fc2, each weight and bias.
inline const std::string kTextProjection = "talker.text_projection.";

// Not thread-safe.
class TextProjection {
 public:
  virtual ~TextProjection() = default;
  virtual int width() const = 0;  // H
  // rows: [M, T] -> out: [M, H]
  virtual Status run(std::span<const float> rows, std::span<float> out) = 0;
};

// The CPU's kernels where the weights are quantised, graphs everywhere else.
Result<std::unique_ptr<TextProjection>> create_text_projection(const std::shared_ptr<const TensorSource>& source,
                                                               std::shared_ptr<Device> device);

// Whether the kernels can take the weights: q8_0 or q4_0 matrices with rows in whole groups.
bool packed_text_projection_fits(const TensorSource& source);
Result<std::unique_ptr<TextProjection>> create_packed_text_projection(const TensorSource& source,
                                                                      std::shared_ptr<Device> device);

Result<std::unique_ptr<TextProjection>> create_graph_text_projection(const std::shared_ptr<const TensorSource>& source,
                                                                     std::shared_ptr<Device> device);

}  // namespace kazeia
