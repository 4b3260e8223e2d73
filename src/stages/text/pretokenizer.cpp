// Cuts text into the pieces that are merged on their own. Mirrors the pattern of the official tokenizer.json
// (Split, behavior Isolated), the first alternative that matches at a position:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)      an English contraction, in any case; U+017F counts as an s
//   [^\r\n\p{L}\p{N}]?\p{L}+          a word, with the one space or sign before it
//   \p{N}                             a single digit
//    ?[^\s\p{L}\p{N}]+[\r\n]*         signs, with the space before and the line ends after them
//   \s*[\r\n]+                        white space up to its last line end
//   \s+(?!\S)                         white space at the end, or without the last one, which goes to the next piece
//   \s+
#include "stages/text/internal.h"

namespace kazeia {
namespace {

struct Char {
  char32_t codepoint;
  CharClass char_class;
  size_t end;
};

Char read(std::string_view text, size_t at) {
  const Utf8Char c = read_utf8(text, at);
  return {c.codepoint, class_of(c.codepoint), c.end};
}

bool is_class_at(std::string_view text, size_t at, CharClass char_class) {
  return at < text.size() && read(text, at).char_class == char_class;
}

// The end of the run of one class that starts at `at`; `at` itself if there is none.
size_t run_end(std::string_view text, size_t at, CharClass char_class) {
  while (at < text.size()) {
    const Char c = read(text, at);
    if (c.char_class != char_class) break;
    at = c.end;
  }
  return at;
}

constexpr bool is_ascii_letter(char c, char lower) { return (c | 0x20) == lower; }

// The end of the contraction at `at`, or `at`.
size_t contraction_end(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.size() < 2 || rest[0] != '\'') return at;
  for (const char single : {'s', 't', 'm', 'd'}) {
    if (is_ascii_letter(rest[1], single)) return at + 2;
  }
  if (rest.size() < 3) return at;
  constexpr std::string_view kLongS = "\xC5\xBF";
  if (rest.substr(1) == kLongS) return at + 3;
  for (const std::string_view two : {"re", "ve", "ll"}) {
    if (is_ascii_letter(rest[1], two[0]) && is_ascii_letter(rest[2], two[1])) return at + 3;
  }
  return at;
}

// The end of the white space piece that starts at `at`.
size_t white_space_end(std::string_view text, size_t at) {
  size_t end = at, last_start = at, last_line_end = at;
  while (end < text.size()) {
    const Char c = read(text, end);
    if (c.char_class != CharClass::space && c.char_class != CharClass::newline) break;
    last_start = end;
    end = c.end;
    if (c.char_class == CharClass::newline) last_line_end = end;
  }
  if (last_line_end > at) return last_line_end;
  if (end == text.size() || last_start == at) return end;
  return last_start;
}

}  // namespace

size_t piece_end(std::string_view text, size_t at) {
  if (const size_t end = contraction_end(text, at); end > at) return end;

  const Char first = read(text, at);
  if (first.char_class == CharClass::letter) return run_end(text, first.end, CharClass::letter);
  if (first.char_class == CharClass::number) return first.end;
  if (first.char_class != CharClass::newline && is_class_at(text, first.end, CharClass::letter)) {
    return run_end(text, first.end, CharClass::letter);
  }
  const size_t signs = first.codepoint == ' ' ? first.end : at;
  if (const size_t end = run_end(text, signs, CharClass::other); end > signs) {
    return run_end(text, end, CharClass::newline);
  }
  return white_space_end(text, at);
}

}  // namespace kazeia
