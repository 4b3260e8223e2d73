// The K code tables: how a frame of codes is heard by the talker and the code predictor. The one thing that two stages
// share. Source: get_input_embeddings of the talker and of its code predictor (modeling_qwen3_tts.py:1591, 1179).
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "compute/row_table.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia {

// Immutable; rows are read from the file as they are used.
class CodeEmbeddings {
 public:
  static Result<CodeEmbeddings> open(const ModelConfig& config, const std::shared_ptr<const TensorSource>& source);

  int width() const { return static_cast<int>(tables_[0].width()); }
  int num_groups() const { return static_cast<int>(tables_.size()); }
  // out[i] += table of `group`, row `code`. Group 0 is the talker's own table and takes its control ids too.
  void add(int group, int32_t code, std::span<float> out) const {
    tables_[static_cast<size_t>(group)].add_row(code, out);
  }
  // The sum over all groups of a frame [K].
  void add_frame(std::span<const int32_t> frame, std::span<float> out) const;

 private:
  std::vector<RowTable> tables_;
};

}  // namespace kazeia
