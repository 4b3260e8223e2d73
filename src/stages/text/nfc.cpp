// Unicode normalization form C. Source: Unicode Standard Annex 15; Hangul: Unicode 16.0, section 3.12.
#include <algorithm>
#include <utility>

#include "stages/text/internal.h"
#include "stages/text/unicode_tables.h"

namespace kazeia {
namespace {

// Hangul syllables are leading consonant x vowel x (none or one of 27 final consonants), in this order.
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kFinals = 0x11A7;
constexpr char32_t kNumLeading = 19, kNumVowels = 21, kNumFinals = 28;
constexpr char32_t kNumSyllables = kNumLeading * kNumVowels * kNumFinals;

bool is_inert(char32_t c) { return c < not_inert_ranges().front().first || !find_range(not_inert_ranges(), c); }

uint8_t combining_class(char32_t c) {
  if (c < combining_ranges().front().first) return 0;
  const CombiningRange* range = find_range(combining_ranges(), c);
  return range ? range->combining_class : uint8_t{0};
}

void append_decomposed(std::u32string& out, char32_t c) {
  if (c >= kSyllables && c < kSyllables + kNumSyllables) {
    const char32_t index = c - kSyllables;
    out += kLeading + index / (kNumVowels * kNumFinals);
    out += kVowels + index / kNumFinals % kNumVowels;
    if (index % kNumFinals != 0) out += kFinals + index % kNumFinals;
    return;
  }
  const auto table = decompositions();
  const auto row = std::lower_bound(table.begin(), table.end(), c,
                                    [](const Decomposition& d, char32_t value) { return d.composed < value; });
  if (row == table.end() || row->composed != c) {
    out += c;
    return;
  }
  append_decomposed(out, row->first);
  if (row->second != 0) append_decomposed(out, row->second);
}

// The composition of two characters, or 0.
char32_t compose_pair(char32_t first, char32_t second) {
  if (first >= kLeading && first < kLeading + kNumLeading && second >= kVowels && second < kVowels + kNumVowels) {
    return kSyllables + ((first - kLeading) * kNumVowels + (second - kVowels)) * kNumFinals;
  }
  if (first >= kSyllables && first < kSyllables + kNumSyllables && (first - kSyllables) % kNumFinals == 0 &&
      second > kFinals && second < kFinals + kNumFinals) {
    return first + (second - kFinals);
  }
  const auto table = decompositions();
  const auto indices = compositions();
  const auto row = std::lower_bound(indices.begin(), indices.end(), std::pair(first, second),
                                    [table](uint16_t i, const std::pair<char32_t, char32_t>& pair) {
                                      return std::pair(table[i].first, table[i].second) < pair;
                                    });
  if (row == indices.end() || table[*row].first != first || table[*row].second != second) return 0;
  return table[*row].composed;
}

// Sorts each run of combining marks by class; marks of one class keep their order.
void reorder_marks(std::u32string& text) {
  for (auto at = text.begin(); at != text.end();) {
    const auto is_starter = [](char32_t c) { return combining_class(c) == 0; };
    const auto begin = std::find_if_not(at, text.end(), is_starter);
    const auto end = std::find_if(begin, text.end(), is_starter);
    std::stable_sort(begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    at = end;
  }
}

// Joins each character to the last starter before it, unless one of the same or a higher class stands between.
void compose(std::u32string& text) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t starter = kNone;
  size_t end = 0;  // text[0, end) is composed
  int last_class = 0;
  for (const char32_t c : text) {
    const int c_class = combining_class(c);
    const bool adjacent = starter != kNone && end == starter + 1;
    if (starter != kNone && (adjacent || last_class < c_class)) {
      if (const char32_t composed = compose_pair(text[starter], c); composed != 0) {
        text[starter] = composed;
        continue;
      }
    }
    if (c_class == 0) starter = end;
    last_class = c_class;
    text[end++] = c;
  }
  text.resize(end);
}

void append_normalized(std::string& out, const std::u32string& segment) {
  std::u32string decomposed;
  for (const char32_t c : segment) append_decomposed(decomposed, c);
  reorder_marks(decomposed);
  compose(decomposed);
  for (const char32_t c : decomposed) append_utf8(out, c);
}

}  // namespace

std::string normalize_nfc(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<uint8_t>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);

  std::string out;
  out.reserve(text.size());
  // An inert character and those after it up to the next inert one: nothing outside can change it.
  std::u32string segment;
  const auto flush = [&] {
    if (segment.size() == 1 && is_inert(segment[0]))
      append_utf8(out, segment[0]);
    else
      append_normalized(out, segment);
  };
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = read_utf8(text, at);
    at = c.end;
    if (is_inert(c.codepoint)) {
      flush();
      segment.clear();
    }
    segment += c.codepoint;
  }
  flush();
  return out;
}

}  // namespace kazeia
