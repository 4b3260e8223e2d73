#include "stages/talker/text_embedder.h"

namespace kazeia {

Result<TextEmbedder> TextEmbedder::create(const std::shared_ptr<const TensorSource>& source,
                                          std::shared_ptr<Device> device) {
  KZ_TRY(RowTable table, RowTable::open(source, "talker.text_embedding.weight"));
  KZ_TRY(std::unique_ptr<TextProjection> projection, create_text_projection(source, std::move(device)));
  return TextEmbedder(std::move(table), std::move(projection));
}

Status TextEmbedder::embed(std::span<const int32_t> ids, std::vector<float>& out) {
  const auto text_width = static_cast<size_t>(table_.width());
  rows_.assign(ids.size() * text_width, 0.0F);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= table_.num_rows()) {
      return Error{ErrorCode::bad_model, "text id " + std::to_string(ids[i]) +
                                             ": expected less than the text vocabulary of " +
                                             std::to_string(table_.num_rows())};
    }
    table_.add_row(ids[i], std::span(rows_).subspan(i * text_width, text_width));
  }
  out.resize(ids.size() * static_cast<size_t>(projection_->width()));
  return projection_->run(rows_, out);
}

}  // namespace kazeia
