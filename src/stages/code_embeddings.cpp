#include "stages/code_embeddings.h"

namespace kazeia {

Result<CodeEmbeddings> CodeEmbeddings::open(const ModelConfig& config,
                                            const std::shared_ptr<const TensorSource>& source) {
  CodeEmbeddings embeddings;
  KZ_TRY(RowTable talker_table, RowTable::open(source, "talker.codec_embedding.weight"));
  embeddings.tables_.push_back(std::move(talker_table));
  for (int group = 1; group < config.talker.num_code_groups; ++group) {
    const std::string name = "code_predictor.codec_embedding." + std::to_string(group - 1) + ".weight";
    KZ_TRY(RowTable table, RowTable::open(source, name));
    embeddings.tables_.push_back(std::move(table));
  }
  return embeddings;
}

void CodeEmbeddings::add_frame(std::span<const int32_t> frame, std::span<float> out) const {
  for (int group = 0; group < num_groups(); ++group) add(group, frame[static_cast<size_t>(group)], out);
}

}  // namespace kazeia
