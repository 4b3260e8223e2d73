// The generated Unicode tables, and what their rows mean. Each table is sorted by its first column.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace kazeia {

// Codepoints first..last, both included.
struct CodepointRange {
  char32_t first;
  char32_t last;
};

// A range of characters with one canonical combining class (1..254).
struct CombiningRange {
  char32_t first;
  char32_t last;
  uint8_t combining_class;
};

// One step of canonical decomposition; second is 0 where a single character replaces another.
struct Decomposition {
  char32_t composed;
  char32_t first;
  char32_t second = 0;
};

// Unicode 16.0: general categories L* and N*.
std::span<const CodepointRange> letter_ranges();
std::span<const CodepointRange> number_ranges();

// Unicode 9.0, without the Hangul syllables, which are computed.
std::span<const Decomposition> decompositions();
// Indices into decompositions() of those that compose back, sorted by (first, second).
std::span<const uint16_t> compositions();
std::span<const CombiningRange> combining_ranges();
// Characters that NFC may change, or join to a character before them. All others are left alone.
std::span<const CodepointRange> not_inert_ranges();

// The row of a table of ranges that holds the codepoint, or null.
template <class Range>
const Range* find_range(std::span<const Range> ranges, char32_t codepoint) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), codepoint,
                                      [](char32_t c, const Range& range) { return c < range.first; });
  if (after == ranges.begin() || codepoint > std::prev(after)->last) return nullptr;
  return &*std::prev(after);
}

}  // namespace kazeia
