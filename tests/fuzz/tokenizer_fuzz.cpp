// links: kazeia_stage_text kazeia_formats
// The tokenizer files and UTF-8 text, both from anyone. The first byte of the input says which:
//   even  the rest is text for a small vocabulary: the bytes of the ids must be the normalized text
//   odd   three files with a line "====" between them: a tokenizer that they make must encode
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/tokenizer_files.h"
#include "stages/text/text.h"
#include "unit/text_vocabulary.h"

namespace kazeia {
namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

void encode_text(std::string_view text) {
  static const Tokenizer tokenizer = *Tokenizer::create(test::small_vocabulary());
  const std::string normalized = normalize_nfc(text);
  expect(normalize_nfc(normalized) == normalized);
  std::string bytes;
  for (const int32_t id : tokenizer.encode(text).ids) bytes += tokenizer.bytes_of(id);
  expect(bytes == normalized);
  expect(num_codepoints(text) <= static_cast<int64_t>(text.size()));
  expect(has_speech(text) == has_speech(normalized));
  const auto prompt = assistant_prompt(tokenizer, text);
  expect(prompt && prompt->ids.size() >= 5);
}

void read_files(std::string_view text) {
  constexpr std::string_view kBorder = "\n====\n";
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const size_t end = std::min(text.find(kBorder), text.size());
    part = text.substr(0, end);
    text.remove_prefix(std::min(end + kBorder.size(), text.size()));
  }
  const auto data = parse_tokenizer_files({parts[0], parts[1], parts[2]});
  if (!data) return expect(!data.error().message.empty());
  // A whole byte-level vocabulary is too much to guess: the merges of the input join the small one.
  TokenizerData joined = test::vocabulary_of_merges(data->merges);
  joined.added = data->added;
  for (const TokenizerData& candidate : {*data, joined}) {
    const auto tokenizer = Tokenizer::create(candidate);
    if (tokenizer) expect(tokenizer->encode(parts[1]).ids.size() <= 3 * parts[1].size());
  }
}

}  // namespace
}  // namespace kazeia

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    kazeia::encode_text(input);
  } else {
    kazeia::read_files(input);
  }
  return 0;
}
