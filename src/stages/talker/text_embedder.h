// Text ids -> the talker's input width: embedding row, then a two-layer projection.
// Source: Qwen3TTSTalkerResizeMLP as text_projection (modeling_qwen3_tts.py:808, 1574).
#pragma once
#include <memory>
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

  // Projects a fixed number of rows; a shorter batch is padded.
  struct Batch {
    size_t num_rows;
    Tensor rows_in, rows_out;
    Plan plan;
  };
  Result<Batch> build(int num_rows, int text_width, std::shared_ptr<Device> device) const;
  Status project(Batch& batch, std::span<const int32_t> ids, std::span<float> out);

  RowTable table_;
  Weights weights_;
  std::vector<Batch> batches_;  // the smallest first
  std::vector<float> rows_, projected_;
};

}  // namespace kazeia
