// Text ids -> the talker's input width: embedding row, then the text projection.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "compute/row_table.h"
#include "stages/talker/text_projection.h"

namespace kazeia {

class TextEmbedder {
 public:
  static Result<TextEmbedder> create(const std::shared_ptr<const TensorSource>& source, std::shared_ptr<Device> device);

  // out: [ids, H]. Ids outside the text vocabulary are Errors.
  Status embed(std::span<const int32_t> ids, std::vector<float>& out);

 private:
  TextEmbedder(RowTable table, std::unique_ptr<TextProjection> projection)
      : table_(std::move(table)), projection_(std::move(projection)) {}

  RowTable table_;
  std::unique_ptr<TextProjection> projection_;
  std::vector<float> rows_;
};

}  // namespace kazeia
