// The rows of a prompt, in the order in which the official code concatenates their embeddings.
#include "stages/prompt/prompt_builder.h"

#include "stages/prompt/voice_choice.h"

namespace kazeia {

namespace {

// <|im_start|> assistant \n ... <|im_end|> \n <|im_start|> assistant \n
constexpr size_t kRoleIds = 3;
constexpr size_t kClosingIds = 5;

// The codec side of language and speaker: what the talker reads under a row of tts_pad.
Result<std::vector<int32_t>> voice_tag(const ModelConfig& config, const PromptRequest& request) {
  KZ_TRY(const Language* language, find_language(config, request.language));
  const Speaker* speaker = nullptr;
  if (!request.speaker.empty()) {
    KZ_TRY(speaker, find_speaker(config, request.speaker));
    const bool speaks_dialect = language == nullptr || lower_case(language->name) == "chinese";
    if (speaks_dialect && !speaker->dialect.empty()) {
      KZ_TRY(language, find_language(config, speaker->dialect));
    }
  }

  const TalkerConfig& talker = config.talker;
  std::vector<int32_t> tag;
  if (language == nullptr) {
    tag = {talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id};
  } else {
    tag = {talker.codec_think_id, talker.codec_think_bos_id, language->codec_id, talker.codec_think_eos_id};
  }
  if (speaker) tag.push_back(speaker->codec_id);
  return tag;
}

Status check_ids(const char* what, std::span<const int32_t> ids, int vocab_size) {
  for (const int32_t id : ids) {
    if (id >= 0 && id < vocab_size) continue;
    return Error{ErrorCode::bad_model, std::string(what) + ": the tokenizer gave id " + std::to_string(id) +
                                           ", but the model's text vocabulary has " + std::to_string(vocab_size) +
                                           " entries"};
  }
  return ok();
}

Status check(const ModelConfig& config, const PromptRequest& request) {
  if (request.assistant_ids.size() <= kRoleIds + kClosingIds) {
    return Error{ErrorCode::invalid_argument, "prompt: expected at least one text id between " +
                                                  std::to_string(kRoleIds) + " role ids and " +
                                                  std::to_string(kClosingIds) + " closing ids, found " +
                                                  std::to_string(request.assistant_ids.size()) + " ids in all"};
  }
  KZ_RETURN_IF_ERROR(check_ids("text", request.assistant_ids, config.talker.text_vocab_size));
  return check_ids("instruct", request.instruct_ids, config.talker.text_vocab_size);
}

}  // namespace

Result<Prompt> build_prompt(const ModelConfig& config, const PromptRequest& request) {
  KZ_RETURN_IF_ERROR(check(config, request));
  KZ_TRY(const std::vector<int32_t> tag, voice_tag(config, request));
  const PromptIds& ids = config.prompt;
  const TalkerConfig& talker = config.talker;
  const auto role = request.assistant_ids.first(kRoleIds);
  const auto text = request.assistant_ids.subspan(kRoleIds, request.assistant_ids.size() - kRoleIds - kClosingIds);

  Prompt prompt;
  prompt.pad_text_id = ids.tts_pad;
  const auto add = [&prompt](int32_t text_id, int32_t codec_id) { prompt.rows.push_back({text_id, codec_id}); };
  for (const int32_t id : request.instruct_ids) add(id, kNoId);
  for (const int32_t id : role) add(id, kNoId);
  for (const int32_t id : tag) add(ids.tts_pad, id);
  add(ids.tts_bos, talker.codec_pad_id);

  if (request.text_feed == TextFeed::full) {
    for (const int32_t id : text) add(id, talker.codec_pad_id);
    add(ids.tts_eos, talker.codec_pad_id);
    add(ids.tts_pad, talker.codec_bos_id);
    prompt.trailing_text_ids = {ids.tts_pad};
    return prompt;
  }
  add(text.front(), talker.codec_bos_id);
  prompt.trailing_text_ids.assign(text.begin() + 1, text.end());
  prompt.trailing_text_ids.push_back(ids.tts_eos);
  return prompt;
}

}  // namespace kazeia
