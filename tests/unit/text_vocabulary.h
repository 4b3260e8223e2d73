// Vocabularies for the tokenizer tests: the real one, rebuilt from its merges, and small ones.
#pragma once
#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tokenizer_data.h"
#include "stages/text/internal.h"

namespace kazeia::test {

// The byte-level characters, ids 0..255, in the order of the official vocabulary: by codepoint.
inline std::vector<std::string> byte_tokens() {
  std::vector<std::string> tokens;
  for (char32_t c = 0; c < 0x144; ++c) {
    const bool is_gap = c < 0x21 || (c > 0x7E && c < 0xA1) || c == 0xAD;
    if (is_gap) continue;
    append_utf8(tokens.emplace_back(), c);
  }
  return tokens;
}

// The 256 bytes, then one token for each merge, then the three added tokens of the template.
inline TokenizerData vocabulary_of_merges(std::vector<std::string> merges) {
  TokenizerData data;
  data.tokens = byte_tokens();
  for (std::string token : merges) {
    std::erase(token, ' ');
    data.tokens.push_back(std::move(token));
  }
  data.merges = std::move(merges);
  auto id = static_cast<int32_t>(data.tokens.size());
  for (const char* text : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) data.added.push_back({id++, text});
  return data;
}

inline TokenizerData small_vocabulary() {
  return vocabulary_of_merges({"a b", "ab c", "b c", "a a", "aa aa", "\u0120 a", "t h", "th e", "\u0120 the",
                               "\u00c3 \u00a9", "\u010a \u010a", "\u0120 \u0120", "1 2", "# #", "' s",
                               "\u00e2 \u0122"});
}

inline std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string data_path(const std::string& name) {
  return std::string(KAZEIA_SOURCE_DIR "/tests/unit/data/") + name;
}

// The vocabulary of Qwen2 and Qwen3, with the official ids.
inline TokenizerData real_vocabulary() {
  std::ifstream file(data_path("tokenizer_merges.txt"));
  std::vector<std::string> merges;
  std::string line;
  std::getline(file, line);  // "#version: 0.2"
  while (std::getline(file, line)) merges.push_back(line);
  return vocabulary_of_merges(std::move(merges));
}

}  // namespace kazeia::test
