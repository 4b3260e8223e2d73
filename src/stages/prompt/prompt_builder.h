// Text ids and a voice -> Prompt: a pure function of ids, testable without weights.
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

struct PromptRequest {
  std::span<const int32_t> assistant_ids;  // the whole template: 3 role ids, the text, 5 closing ids
  std::span<const int32_t> instruct_ids;   // the whole instruct template; empty for none
  std::string speaker;                     // empty for none (voice_design, base without reference)
  std::string language = "auto";
  TextFeed text_feed = TextFeed::full;
};

// Speaker and language names are matched without case; an unknown one is an Error that lists the known ones.
Result<Prompt> build_prompt(const ModelConfig& config, const PromptRequest& request);

}  // namespace kazeia
