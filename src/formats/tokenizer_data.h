// A tokenizer as plain data: what the official files hold and what the GGUF file stores.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kazeia {

// A token that only the prompt template can place, such as <|im_start|>.
struct AddedToken {
  int32_t id = 0;
  std::string text;
};

struct TokenizerData {
  // Index is the id. Byte-level text as in vocab.json: each byte written as one printable character (a space is
  // U+0120).
  std::vector<std::string> tokens;
  // Lines of merges.txt without its "#version" line, "left right" in byte-level text, the most important first.
  std::vector<std::string> merges;
  // In the order of their ids, which may lie inside tokens or, as a rule, after them.
  std::vector<AddedToken> added;
};

}  // namespace kazeia
