#include "engine/request.h"

#include "engine/termination.h"
#include "sampling/sampling.h"
#include "stages/prompt/prompt_builder.h"

namespace kazeia {
namespace {

// Positions that prompt and speech may take together: the talker's position range in the published models.
constexpr int kMaxPositions = 32768;

SamplingDefaults with_request(SamplingDefaults options, const SamplingRequest& request) {
  options.do_sample = request.sample.value_or(options.do_sample);
  options.temperature = request.temperature.value_or(options.temperature);
  options.top_k = request.top_k.value_or(options.top_k);
  options.top_p = request.top_p.value_or(options.top_p);
  options.repetition_penalty = request.repetition_penalty.value_or(options.repetition_penalty);
  return options;
}

TextFeed choose_feed(Feed feed, TextFeed model_default) {
  if (feed == Feed::model_default) return model_default;
  return feed == Feed::full ? TextFeed::full : TextFeed::streaming;
}

}  // namespace

Result<PreparedRequest> prepare(const Model& model, const Request& request) {
  const ModelConfig& config = model.file.config;
  PreparedRequest prepared;
  prepared.talker = with_request(config.talker_sampling, request.talker);
  prepared.code_predictor = with_request(config.code_predictor_sampling, request.code_predictor);
  KZ_RETURN_IF_ERROR(validate(prepared.talker, "talker"));
  KZ_RETURN_IF_ERROR(validate(prepared.code_predictor, "code predictor"));
  KZ_TRY(const ChosenVoice voice, choose_voice(config, request.voice, request.language));
  prepared.voice = voice.speaker;
  prepared.language = voice.language;
  if (!has_speech(request.text)) {
    prepared.empty = true;
    return prepared;
  }

  KZ_TRY(const TextIds assistant, assistant_prompt(model.tokenizer, request.text));
  TextIds instruct;
  if (!request.instruct.empty() && !follows_instruct(config)) {
    prepared.notes.push_back("instruct left out: a " + config.size + " " + model_type_name(config.type) +
                             " model was not trained to follow one");
  } else if (!request.instruct.empty()) {
    KZ_TRY(instruct, instruct_prompt(model.tokenizer, request.instruct));
  }
  KZ_TRY(prepared.prompt, build_prompt(config, {.assistant_ids = assistant.ids,
                                                .instruct_ids = instruct.ids,
                                                .speaker = voice.speaker,
                                                .language = voice.language,
                                                .text_feed = choose_feed(request.text_feed, config.text_feed)}));
  KZ_TRY(prepared.max_frames, frame_cap(request.max_frames, num_codepoints(request.text)));
  const auto num_rows = static_cast<int>(prepared.prompt.rows.size());
  if (num_rows >= kMaxPositions) {
    return Error{ErrorCode::invalid_argument, "text: expected a prompt of less than " + std::to_string(kMaxPositions) +
                                                  " tokens, found " + std::to_string(num_rows) + ": split the text"};
  }
  prepared.max_frames = std::min(prepared.max_frames, kMaxPositions - num_rows);
  return prepared;
}

}  // namespace kazeia
