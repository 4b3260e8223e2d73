#include "formats/model_file.h"

#include <algorithm>
#include <filesystem>

#include "formats/checkpoint_source.h"
#include "formats/gguf_model.h"
#include "formats/tokenizer_files.h"

namespace kazeia {
namespace {

const std::string* token_text(const TokenizerData& tokenizer, int32_t id) {
  for (const AddedToken& token : tokenizer.added) {
    if (token.id == id) return &token.text;
  }
  const auto index = static_cast<size_t>(id);
  return index < tokenizer.tokens.size() ? &tokenizer.tokens[index] : nullptr;
}

Status expect_token(const ModelFile& model, const char* key, int32_t id, const std::string& expected,
                    const std::string& path) {
  const std::string* found = token_text(model.tokenizer, id);
  if (found && *found == expected) return ok();
  return Error{ErrorCode::bad_model, path + ": wrong tokenizer: " + key + " = " + std::to_string(id) +
                                         ": expected the token \"" + expected + "\", found " +
                                         (found ? "\"" + *found + "\"" : "none")};
}

// The ids in the config and the tokenizer's must be of one model; a wrong pair would speak nonsense without an error.
Status check_tokenizer(const ModelFile& model, const std::string& path) {
  const PromptIds& ids = model.config.prompt;
  KZ_RETURN_IF_ERROR(expect_token(model, "prompt.im_start_id", ids.im_start, "<|im_start|>", path));
  KZ_RETURN_IF_ERROR(expect_token(model, "prompt.im_end_id", ids.im_end, "<|im_end|>", path));
  KZ_RETURN_IF_ERROR(expect_token(model, "prompt.assistant_id", ids.assistant, "assistant", path));
  auto largest = static_cast<int64_t>(model.tokenizer.tokens.size()) - 1;
  for (const AddedToken& token : model.tokenizer.added) largest = std::max<int64_t>(largest, token.id);
  if (largest >= model.config.talker.text_vocab_size) {
    return Error{ErrorCode::bad_model, path + ": wrong tokenizer: expected ids below text_vocab_size = " +
                                           std::to_string(model.config.talker.text_vocab_size) + ", found " +
                                           std::to_string(largest)};
  }
  return ok();
}

Result<ModelFile> open_checkpoint(const std::string& folder) {
  ModelFile model;
  KZ_TRY(model.config, read_checkpoint_config(folder));
  KZ_TRY(model.tokenizer, read_tokenizer_files(folder));
  KZ_TRY(model.tensors, open_checkpoint_tensors(folder, model.config));
  return model;
}

}  // namespace

Result<ModelFile> open_model(const std::string& path) {
  std::error_code unused;
  const bool is_folder = std::filesystem::is_directory(path, unused);
  KZ_TRY(ModelFile model, is_folder ? open_checkpoint(path) : open_gguf_model(path));
  KZ_RETURN_IF_ERROR(check_tokenizer(model, path));
  return model;
}

}  // namespace kazeia
