// Text ids and a voice -> Prompt: pure functions of ids and names, testable without weights.
// Source: Qwen3TTSForConditionalGeneration.generate (modeling_qwen3_tts.py:2071-2225) and the template helpers of
// Qwen3TTSModel (qwen3_tts_model.py).
#pragma once
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "flow/prompt.h"
#include "formats/model_config.h"

namespace kazeia {

// Who speaks, and in which language. Names in lower case, as the model spells them.
struct ChosenVoice {
  std::string speaker;   // empty: the model has no speakers (voice_design, base)
  std::string language;  // "auto" lets the model decide
};

// Fills in what a request leaves open; both names may be empty and are matched without case.
//   no voice:     the first speaker whose language (or dialect) is the one asked for, else the first speaker
//   no language:  the speaker's own language if the model states it, else "auto"
// Errors: an unknown voice or language (they list the known ones), and any voice for a model without speakers.
Result<ChosenVoice> choose_voice(const ModelConfig& config, const std::string& voice, const std::string& language);

// Whether the model was trained to follow an instruction. The official wrapper drops it for the 0.6B custom_voice model
// (Qwen3TTSModel.generate_custom_voice, qwen3_tts_model.py:799) without a word. build_prompt mirrors the layer below
// and puts any instruct ids it gets into the prompt; so callers leave them out when this says false, and tell the user.
bool follows_instruct(const ModelConfig& config);

struct PromptRequest {
  std::span<const int32_t> assistant_ids;  // the whole template: 3 role ids, the text, 5 closing ids
  std::span<const int32_t> instruct_ids;   // the whole instruct template; empty for none
  std::string speaker;                     // empty for none (voice_design, base without reference)
  std::string language = "auto";
  TextFeed text_feed = TextFeed::full;
};

// The rows, top to bottom ("-": no id of that kind; the speaker's row only if there is one):
//
//   text id                codec id
//   instruct ids           -                      if any
//   role ids (3)           -
//   tts_pad                language tag           nothink, think_bos, think_eos for "auto",
//   ...                    ...                    else think, think_bos, language, think_eos
//   tts_pad                speaker
//   tts_bos                codec_pad
//   full feed:                                    streaming feed:
//     text ids, tts_eos    codec_pad                first text id        codec_bos
//     tts_pad              codec_bos
//   and with each frame:   tts_pad                  the next text id; after the last one tts_eos, then tts_pad
//
// A speaker with a dialect speaks it when the language is "chinese" or "auto". Names are matched without case.
// Errors: an unknown speaker or language (they list the known ones), a template without text, an id outside of the
// model's text vocabulary.
Result<Prompt> build_prompt(const ModelConfig& config, const PromptRequest& request);

}  // namespace kazeia
