#include "stages/talker/text_embedder.h"

#include <algorithm>

namespace kazeia {
namespace {

// Enough for most prompts, and bounds the scratch of a long text.
constexpr size_t kRowsAtOnce = 64;

}  // namespace

Result<TextEmbedder> TextEmbedder::create(const std::shared_ptr<const TensorSource>& source,
                                          std::shared_ptr<Device> device) {
  KZ_TRY(RowTable table, RowTable::open(source, "talker.text_embedding.weight"));
  KZ_TRY(std::unique_ptr<TextProjection> projection, create_text_projection(source, std::move(device)));
  return TextEmbedder(std::move(table), std::move(projection));
}

Status TextEmbedder::embed(std::span<const int32_t> ids, std::vector<float>& out) {
  const auto text_width = static_cast<size_t>(table_.width());
  const auto width = static_cast<size_t>(projection_->width());
  out.resize(ids.size() * width);
  for (size_t first = 0; first < ids.size(); first += kRowsAtOnce) {
    const auto some = ids.subspan(first, std::min(kRowsAtOnce, ids.size() - first));
    rows_.assign(some.size() * text_width, 0.0F);
    for (size_t i = 0; i < some.size(); ++i) {
      if (some[i] < 0 || some[i] >= table_.num_rows()) {
        return Error{ErrorCode::bad_model, "text id " + std::to_string(some[i]) +
                                               ": expected less than the text vocabulary of " +
                                               std::to_string(table_.num_rows())};
      }
      table_.add_row(some[i], std::span(rows_).subspan(i * text_width, text_width));
    }
    KZ_RETURN_IF_ERROR(projection_->run(rows_, std::span(out).subspan(first * width, some.size() * width)));
  }
  return ok();
}

}  // namespace kazeia
