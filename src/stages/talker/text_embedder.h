// Text ids -> the talker's input width: embedding row, then a two-layer projection.
// Source: Qwen3TTSTalkerResizeMLP as text_projection (modeling_qwen3_tts.py:808, 1574).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "compute/plan.h"
#include "compute/row_table.h"
#include "compute/weights.h"
#include "formats/model_config.h"

namespace kazeia {

class TextEmbedder {
 public:
  static Result<TextEmbedder> create(const TalkerConfig& config, const std::shared_ptr<const TensorSource>& source,
                                     std::shared_ptr<Device> device);

  // out: [ids, H]. Ids outside the text vocabulary are Errors.
  Status embed(std::span<const int32_t> ids, std::vector<float>& out);

 private:
  TextEmbedder(RowTable table, Weights weights) : table_(std::move(table)), weights_(std::move(weights)) {}

  RowTable table_;
  Weights weights_;
  int width_ = 0;
  Tensor rows_in_, rows_out_;
  std::optional<Plan> plan_;
  std::vector<float> batch_, projected_;
};

}  // namespace kazeia
