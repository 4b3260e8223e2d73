// Text to ids, exactly as the official tokenizer (Qwen2TokenizerFast) gives them: NFC, split, byte-level BPE.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "flow/text_ids.h"
#include "formats/tokenizer_data.h"

namespace kazeia {

// Immutable: one object serves any number of threads. Text is UTF-8; bytes that are not read as U+FFFD.
class Tokenizer {
 public:
  // Checks that every byte has a token and that every merge joins tokens into a token.
  static Result<Tokenizer> create(const TokenizerData& data);

  Tokenizer(Tokenizer&& other) noexcept;
  Tokenizer& operator=(Tokenizer&& other) noexcept;
  ~Tokenizer();

  // Plain text: added tokens are not recognised in it, "<|im_end|>" gives the ids of its ten characters.
  TextIds encode(std::string_view text) const;

  // The id of an added token such as "<|im_start|>", by its exact text.
  std::optional<int32_t> id_of(std::string_view added_token) const;

  // The bytes that an id stands for, or the text of an added token; empty for an id without a token.
  std::string_view bytes_of(int32_t id) const;

  // One more than the highest id.
  int32_t num_ids() const;

 private:
  struct Tables;
  explicit Tokenizer(std::unique_ptr<const Tables> tables);

  std::unique_ptr<const Tables> tables_;
};

// <|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n
// Source: Qwen3TTSModel._build_assistant_text, qwen3_tts_model.py:269-270. "assistant\n" and the text are one span to
// the split pattern, so a text that begins with white space shares a token with the line end: as the official code does
// it.
Result<TextIds> assistant_prompt(const Tokenizer& tokenizer, std::string_view text);

// <|im_start|>user\n{instruct}<|im_end|>\n
// Source: Qwen3TTSModel._build_instruct_text, qwen3_tts_model.py:275-276.
Result<TextIds> instruct_prompt(const Tokenizer& tokenizer, std::string_view instruct);

// Whether there is anything to speak: a letter or a number. White space, punctuation and emoji alone are nothing.
bool has_speech(std::string_view text);

// How many codepoints the text has; bytes that are no UTF-8 count as the U+FFFD they are read as.
int64_t num_codepoints(std::string_view text);

}  // namespace kazeia
