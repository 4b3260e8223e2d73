#include "stages/text/pieces.h"

#include <algorithm>

#include "stages/text/internal.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

using Text = std::u32string_view;

bool is_white(char32_t c) { return class_of(c) == CharClass::space || class_of(c) == CharClass::newline; }
bool is_one_of(char32_t c, Text set) { return set.find(c) != Text::npos; }

constexpr Text kEnds = U".!?\u2026\u3002\uFF01\uFF1F";  // the last three are full width, without a space after them
constexpr Text kFullWidth = U"\u3002\uFF01\uFF1F";
constexpr Text kClosing = U"\"')]}\u00BB\u201D\u2019";  // may stand between the end and the space
constexpr Text kClauses = U",;:\u2013\u2014\u3001\uFF0C\uFF1B";
constexpr Text kLower = U"abcdefghijklmnopqrstuvwxyz";

Text trimmed(Text text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

size_t skip_white(Text text, size_t at) {
  while (at < text.size() && is_white(text[at])) ++at;
  return at;
}

// A line end, more white space, and another one.
bool blank_line_at(Text text, size_t at) {
  if (text[at] != U'\n') return false;
  return std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                    text.begin() + static_cast<std::ptrdiff_t>(skip_white(text, at)), U'\n') > 1;
}

// Where the sentence that starts at `begin` ends.
size_t sentence_end(Text text, size_t begin) {
  for (size_t at = begin; at < text.size(); ++at) {
    if (blank_line_at(text, at)) return at;
    if (!is_one_of(text[at], kEnds)) continue;
    size_t end = at + 1;
    while (end < text.size() && is_one_of(text[end], kEnds)) ++end;
    while (end < text.size() && is_one_of(text[end], kClosing)) ++end;
    if (is_one_of(text[at], kFullWidth)) return end;
    const size_t next = skip_white(text, end);
    const bool goes_on = next < text.size() && (next == end || is_one_of(text[next], kLower));
    if (!goes_on) return end;
    at = end - 1;
  }
  return text.size();
}

// Of the places in least..most where the first part of `text` may end, the one nearest to `target`; 0: there is none.
template <class MayCut>
size_t best_cut(Text text, size_t target, size_t least, size_t most, MayCut may_cut) {
  size_t best = 0;
  const auto distance = [&](size_t at) { return at > target ? at - target : target - at; };
  for (size_t at = least; at <= most && at < text.size(); ++at) {
    if (may_cut(at) && (best == 0 || distance(at) < distance(best))) best = at;
  }
  return best;
}

void add_piece(Text text, std::vector<std::string>& pieces) {
  std::string piece = encode_utf8(trimmed(text));
  if (has_speech(piece)) pieces.push_back(std::move(piece));
}

void add_sentence(Text sentence, size_t most, std::vector<std::string>& pieces) {
  sentence = trimmed(sentence);
  while (sentence.size() > most) {
    const size_t num_parts = (sentence.size() + most - 1) / most;
    const size_t target = sentence.size() / num_parts;
    const auto after_clause = [&](size_t at) {
      return is_one_of(sentence[at - 1], kClauses) && is_white(sentence[at]);
    };
    const auto before_space = [&](size_t at) { return is_white(sentence[at]); };
    size_t cut = best_cut(sentence, target, std::max<size_t>(1, target / 3), most, after_clause);
    // The pause replaces the mark.
    const size_t marks = cut == 0 ? 0 : 1;
    if (cut == 0) cut = best_cut(sentence, target, 1, most, before_space);
    if (cut == 0) cut = most;
    add_piece(sentence.substr(0, cut - marks), pieces);
    sentence = trimmed(sentence.substr(cut));
  }
  add_piece(sentence, pieces);
}

}  // namespace

std::vector<std::string> split_pieces(std::string_view text, int max_codepoints) {
  const std::u32string decoded = decode_utf8(text);
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin < decoded.size();) {
    const size_t end = sentence_end(decoded, begin);
    add_sentence(Text(decoded).substr(begin, end - begin), static_cast<size_t>(max_codepoints), pieces);
    begin = skip_white(decoded, end);
  }
  return pieces;
}

}  // namespace kazeia
