#include "formats/byte_tokenizer.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace kazeia {
namespace {

constexpr const char* kTemplateTokens[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>",     "<|audio_start|>",
                                           "<|audio_end|>", "<tts_pad>",    "<tts_text_bos>", "<tts_text_eod>"};

// Bytes that print as themselves in the byte-level alphabet; the others get the code points from U+0100 on.
bool prints(int byte) { return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174; }

std::string utf8(int code_point) {  // below U+0800
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xC0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 0x3F))};
}

// Vocabulary order of the official files: the printing bytes, then the others.
std::vector<std::string> byte_alphabet() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    if (prints(byte)) tokens.push_back(utf8(byte));
  }
  for (int byte = 0, next = 256; byte < 256; ++byte) {
    if (!prints(byte)) tokens.push_back(utf8(next++));
  }
  return tokens;
}

// Merges that build the word from the left, one letter at a time.
void add_word(TokenizerData& data, std::string_view word) {
  for (size_t length = 2; length <= word.size(); ++length) {
    const std::string left(word.substr(0, length - 1));
    data.merges.push_back(left + " " + word[length - 1]);
    data.tokens.push_back(left + word[length - 1]);
  }
}

int32_t id_of(const TokenizerData& data, std::string_view text) {
  for (const AddedToken& token : data.added) {
    if (token.text == text) return token.id;
  }
  const auto found = std::find(data.tokens.begin(), data.tokens.end(), text);
  return static_cast<int32_t>(found - data.tokens.begin());
}

}  // namespace

TokenizerData byte_tokenizer() {
  TokenizerData data;
  data.tokens = byte_alphabet();
  add_word(data, "assistant");
  add_word(data, "user");
  auto id = static_cast<int32_t>(data.tokens.size());
  for (const char* text : kTemplateTokens) data.added.push_back({id++, text});
  return data;
}

PromptIds byte_tokenizer_ids() {
  const TokenizerData data = byte_tokenizer();
  return {.tts_bos = id_of(data, "<tts_text_bos>"),
          .tts_eos = id_of(data, "<tts_text_eod>"),
          .tts_pad = id_of(data, "<tts_pad>"),
          .im_start = id_of(data, "<|im_start|>"),
          .im_end = id_of(data, "<|im_end|>"),
          .assistant = id_of(data, "assistant")};
}

int byte_tokenizer_vocab_size() {
  const int num_ids = byte_tokenizer().added.back().id + 1;
  return (num_ids + 63) / 64 * 64;
}

}  // namespace kazeia
