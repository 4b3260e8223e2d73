// What the tokenizer hands to the prompt: rows of the talker's text embedding.
#pragma once
#include <cstdint>
#include <vector>

namespace kazeia {

struct TextIds {
  std::vector<int32_t> ids;
};

}  // namespace kazeia
