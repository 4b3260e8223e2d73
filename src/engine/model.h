// A loaded model: every stage with its weights, placed. Only engine/ knows all of them.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "compute/placement.h"
#include "formats/model_file.h"
#include "stages/code_embeddings.h"
#include "stages/code_predictor/code_predictor.h"
#include "stages/codec/decoder.h"
#include "stages/talker/talker.h"
#include "stages/text/text.h"

namespace kazeia {

struct Model {
  ModelFile file;
  Tokenizer tokenizer;
  CodeEmbeddings embeddings;
  std::unique_ptr<Talker> talker;                 // refers to embeddings
  std::unique_ptr<CodePredictor> code_predictor;  // refers to embeddings

  std::unique_ptr<CodecDecoder> codec;

  // path: a GGUF, a checkpoint folder, or "random:SPEC" (formats/model_file.h).
  static Result<std::unique_ptr<Model>> load(const std::string& path, const Placement& placement);
};

}  // namespace kazeia
