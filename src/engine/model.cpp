#include "engine/model.h"

#include <string_view>

namespace kazeia {
namespace {

constexpr std::string_view kRandomPrefix = "random:";
constexpr uint64_t kRandomSeed = 1;  // the same weights each time: timings and tests repeat

Result<ModelFile> open(const std::string& path) {
  if (path.starts_with(kRandomPrefix)) return make_random_model(path.substr(kRandomPrefix.size()), kRandomSeed);
  return open_model(path);
}

}  // namespace

Result<std::unique_ptr<Model>> Model::load(const std::string& path, const Placement& placement) {
  KZ_TRY(ModelFile file, open(path));
  KZ_TRY(Tokenizer tokenizer, Tokenizer::create(file.tokenizer));
  KZ_TRY(CodeEmbeddings embeddings, CodeEmbeddings::open(file.config, file.tensors));
  auto model = std::make_unique<Model>(Model{.file = std::move(file),
                                             .tokenizer = std::move(tokenizer),
                                             .embeddings = std::move(embeddings),
                                             .talker = nullptr,
                                             .code_predictor = nullptr,
                                             .codec = nullptr});
  const ModelConfig& config = model->file.config;
  const auto& tensors = model->file.tensors;
  KZ_TRY(model->talker, Talker::create(config.talker, tensors, placement.talker, model->embeddings));
  KZ_TRY(model->code_predictor, CodePredictor::create(config, tensors, placement.code_predictor, model->embeddings));
  KZ_TRY(model->codec, CodecDecoder::create(config.codec, tensors, placement.codec));
  return model;
}

}  // namespace kazeia
