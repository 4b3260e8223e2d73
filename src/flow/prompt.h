// Prompt: what the talker reads before and while it speaks. Ids only, no floats yet.
// Source: Qwen3TTSForConditionalGeneration.generate (modeling_qwen3_tts.py:2106-2262).
#pragma once
#include <cstdint>
#include <vector>

namespace kazeia {

inline constexpr int32_t kNoId = -1;

// One position. Its embedding is text_projection(text_embedding[text_id]) + codec_embedding[codec_id]; an absent codec
// id adds nothing.
struct PromptRow {
  int32_t text_id = 0;
  int32_t codec_id = kNoId;

  friend bool operator==(const PromptRow&, const PromptRow&) = default;
};

struct Prompt {
  std::vector<PromptRow> rows;  // read at once, before the first frame
  // Frame t (0 for the first) adds text_id trailing[t] to the next input, and pad_text_id once these are used up.
  std::vector<int32_t> trailing_text_ids;
  int32_t pad_text_id = 0;

  int32_t text_id_after(int frame) const {
    return static_cast<size_t>(frame) < trailing_text_ids.size() ? trailing_text_ids[static_cast<size_t>(frame)]
                                                                 : pad_text_id;
  }
};

}  // namespace kazeia
