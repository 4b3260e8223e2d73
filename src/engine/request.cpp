#include "engine/request.h"

#include "engine/termination.h"
#include "sampling/sampling.h"
#include "stages/prompt/prompt_builder.h"
#include "stages/text/pieces.h"
#include "stages/text/spell_out.h"

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

// The text as the model was trained to read it.
std::string prepare_text(const ModelConfig& config, const ChosenVoice& voice, const std::string& text,
                         std::vector<std::string>& notes) {
  if (!config.text.spell_out) return text;
  std::string language = voice.language;
  for (const Speaker& speaker : config.speakers) {
    if (language == "auto" && speaker.name == voice.speaker) language = speaker.language;
  }
  const SpellingRules* rules = spelling_rules(language);
  if (rules == nullptr) {
    notes.push_back("numbers and symbols are left as they are: there are no words for them in " + language);
    return text;
  }
  SpelledText spelled = spell_out(text, *rules);
  if (spelled.num_left_out > 0) {
    notes.push_back("left out: " + std::to_string(spelled.num_left_out) + " characters that can't be read in " +
                    language);
  }
  return std::move(spelled.text);
}

std::vector<std::string> pieces_of(const ModelConfig& config, const std::string& text) {
  if (config.text.max_sentence_codepoints > 0) return split_pieces(text, config.text.max_sentence_codepoints);
  return has_speech(text) ? std::vector<std::string>{text} : std::vector<std::string>{};
}

Result<PreparedPiece> prepare_piece(const Model& model, const Request& request, std::string text,
                                    PromptRequest prompt) {
  PreparedPiece piece;
  KZ_TRY(const TextIds assistant, assistant_prompt(model.tokenizer, text));
  prompt.assistant_ids = assistant.ids;
  KZ_TRY(piece.prompt, build_prompt(model.file.config, prompt));
  KZ_TRY(piece.max_frames, frame_cap(request.max_frames, num_codepoints(text)));
  const auto num_rows = static_cast<int>(piece.prompt.rows.size());
  if (num_rows >= kMaxPositions) {
    return Error{ErrorCode::invalid_argument, "text: expected a prompt of less than " + std::to_string(kMaxPositions) +
                                                  " tokens, found " + std::to_string(num_rows) + ": split the text"};
  }
  piece.max_frames = std::min(piece.max_frames, kMaxPositions - num_rows);
  piece.text = std::move(text);
  return piece;
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

  TextIds instruct;
  if (!request.instruct.empty() && !follows_instruct(config)) {
    prepared.notes.push_back("instruct left out: a " + config.size + " " + model_type_name(config.type) +
                             " model was not trained to follow one");
  } else if (!request.instruct.empty()) {
    KZ_TRY(instruct, instruct_prompt(model.tokenizer, request.instruct));
  }
  const PromptRequest prompt{.assistant_ids = {},
                             .instruct_ids = instruct.ids,
                             .speaker = voice.speaker,
                             .language = voice.language,
                             .text_feed = choose_feed(request.text_feed, config.text_feed)};
  for (std::string& text : pieces_of(config, prepare_text(config, voice, request.text, prepared.notes))) {
    KZ_TRY(PreparedPiece piece, prepare_piece(model, request, std::move(text), prompt));
    prepared.pieces.push_back(std::move(piece));
  }
  return prepared;
}

}  // namespace kazeia
