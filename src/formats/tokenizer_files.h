// The three tokenizer files of an official checkpoint folder.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/tokenizer_data.h"

namespace kazeia {

// The whole texts of the files.
struct TokenizerFiles {
  std::string_view vocab_json;             // {"token": id}
  std::string_view merges_txt;             // one merge a line
  std::string_view tokenizer_config_json;  // its added_tokens_decoder: {"id": {"content": token}}
};

// Reads vocab.json, merges.txt and tokenizer_config.json. Errors name the file, and what was expected and found.
Result<TokenizerData> read_tokenizer_files(const std::string& folder);

// The same from memory; errors name the file without a folder.
Result<TokenizerData> parse_tokenizer_files(const TokenizerFiles& files);

}  // namespace kazeia
