// Questions about a text that need no vocabulary.
#include "stages/text/internal.h"
#include "stages/text/text.h"

namespace kazeia {

bool has_speech(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = read_utf8(text, at);
    const CharClass char_class = class_of(c.codepoint);
    if (char_class == CharClass::letter || char_class == CharClass::number) return true;
    at = c.end;
  }
  return false;
}

int64_t num_codepoints(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); at = read_utf8(text, at).end) ++count;
  return count;
}

}  // namespace kazeia
