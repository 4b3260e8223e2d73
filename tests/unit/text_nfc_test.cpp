// links: kazeia_stage_text
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stages/text/internal.h"
#include "stages/text/unicode_tables.h"

namespace kazeia {
namespace {

std::string utf8(char32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

TEST(Nfc, JoinsSortsAndReplacesAsTheStandardSays) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"plain text\n", "plain text\n"},
      {"e\u0301", "\u00E9"},
      {"\u00E9", "\u00E9"},
      {"A\u030A", "\u00C5"},
      {"\u212B", "\u00C5"},                // a character that another one replaces
      {"a\u0302\u0323", "\u1EAD"},         // sorted, then joined twice
      {"q\u0307\u0323", "q\u0323\u0307"},  // sorted, nothing to join
      {"e\u0327\u0301", "\u0229\u0301"},   //
      {"a\u0328\u0301", "\u0105\u0301"},   //
      {"a\u0301\u0301", "\u00E1\u0301"},   // the second is blocked by the first
      {"\u0301e", "\u0301e"},              // nothing before it
      {"\u0958", "\u0915\u093C"},          // stays apart: composition exclusion
      {"\u0344", "\u0308\u0301"},          //
      {"\u1100\u1161\u11A8", "\uAC01"},    // Hangul
      {"\uAC00\u11A8", "\uAC01"},          //
      {"\uAC00\u11A7", "\uAC00\u11A7"},    // no final consonant
      {"\u1100\u1161\u0300\u11A8", "\uAC00\u0300\u11A8"},
      {"\U00011099\U000110BA", "\U0001109A"},
      {"\U0001D15E", "\U0001D157\U0001D165"},
      {"\uF900\U0002F800", "\u8C48\u4E3D"},
      {"e\xFF\u0301", "e\uFFFD\u0301"},  // broken UTF-8 keeps them apart
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(normalize_nfc(text), expected) << testing::PrintToString(text);
}

TEST(Nfc, LeavesCharactersYoungerThanUnicode9AsTheOfficialTokenizerDoes) {
  for (const char* text :
       {"\U000105D2\u0307", "\U00011935\U00011930", "a\U00011F41\u0334", "a\u1DFA\u0334", "\u0C3C\u0334"}) {
    EXPECT_EQ(normalize_nfc(text), text);
  }
}

TEST(Nfc, EveryPrimaryCompositeComesBackFromItsParts) {
  for (const uint16_t index : compositions()) {
    const Decomposition& d = decompositions()[index];
    EXPECT_EQ(normalize_nfc(utf8(d.first) + utf8(d.second)), utf8(d.composed));
    EXPECT_EQ(normalize_nfc(utf8(d.composed)), utf8(d.composed));
  }
}

TEST(Nfc, ASecondTimeChangesNothing) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const auto not_inert = not_inert_ranges();
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = 0; n < 6; ++n) {
      const CodepointRange range = not_inert[below(static_cast<uint32_t>(not_inert.size()))];
      append_utf8(text, below(3) == 0 ? 'a' + below(26) : range.first + below(range.last - range.first + 1));
    }
    const std::string once = normalize_nfc(text);
    ASSERT_EQ(normalize_nfc(once), once);
  }
}

TEST(Nfc, ALongRunOfMarksIsSortedInNoTime) {
  std::string text = "a";
  for (int i = 0; i < 50'000; ++i) text += "\u0301\u0323";
  const std::string normalized = normalize_nfc(text);
  EXPECT_TRUE(normalized.starts_with("\u1EA1\u0323"));
  EXPECT_TRUE(normalized.ends_with("\u0301\u0301"));
}

}  // namespace
}  // namespace kazeia
