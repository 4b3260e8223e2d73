// links: kazeia_stage_text
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stages/text/internal.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

std::string repaired(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = read_utf8(text, at);
    EXPECT_GT(c.end, at);
    EXPECT_LE(c.end, text.size());
    append_utf8(out, c.codepoint);
    at = c.end;
  }
  return out;
}

TEST(Utf8, EveryCodepointSurvivesTheRoundTrip) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    append_utf8(text, c);
    const Utf8Char read = read_utf8(text, 0);
    ASSERT_EQ(read.codepoint, c);
    ASSERT_EQ(read.end, text.size());
  }
}

// Expected values: Python, bytes.decode("utf-8", errors="replace").
TEST(Utf8, BrokenBytesReadAsOneReplacementForEachLongestValidStart) {
  const std::string r = "\uFFFD";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x80", r},
      {"\xC0\x80", r + r},                     // overlong
      {"\xC1\xBF", r + r},                     // overlong
      {"\xE0\x80\x80", r + r + r},             // overlong
      {"\xED\xA0\x80", r + r + r},             // a surrogate
      {"\xF4\x90\x80\x80", r + r + r + r},     // above U+10FFFF
      {"\xF5\x80", r + r},                     // no lead byte
      {"\xFF\xFE", r + r},                     //
      {"a\xC3", "a" + r},                      // cut short
      {"a\xE2\x82", "a" + r},                  //
      {"a\xF0\x9F\x98", "a" + r},              //
      {"\xE2\x82z", r + "z"},                  // cut short by a letter
      {"\xF0\x9F\x98\xC3\xA9", r + "\u00E9"},  // cut short by another character
      {"\xE2\x82\xE2\x82\xAC", r + "\u20AC"},  //
      {"\xF0\x80\x80\x41", r + r + r + "A"},   // overlong, then a letter
      {"\xC3\xA9\x80\xC3", "\u00E9" + r + r},  //
      {std::string("\xC3\0", 2), r + std::string(1, '\0')},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(repaired(text), expected) << testing::PrintToString(text);
}

TEST(Utf8, CodepointsAreCountedAsTheyAreRead) {
  EXPECT_EQ(num_codepoints(""), 0);
  EXPECT_EQ(num_codepoints("\u00E9t\u00E9"), 3);
  EXPECT_EQ(num_codepoints("\U0001F600"), 1);
  EXPECT_EQ(num_codepoints("a\xF0\x9F"), 2);
}

TEST(HasSpeech, IsTrueForALetterOrANumberInAnyScript) {
  for (const char* text : {"a", "...7", "\u00BD", "\u4F60", " \u0E2A ", "\u00AB \u00C7a \u00BB",
                           "\xFF"
                           "b"}) {
    EXPECT_TRUE(has_speech(text)) << text;
  }
}

TEST(HasSpeech, IsFalseForWhiteSpacePunctuationAndEmoji) {
  for (const char* text : {"", " \n\t", "...", "?!\u2026 \u2014 \u00AB\u202F\u00BB", "\U0001F600\u200D\u2764\uFE0F",
                           "\xFF\xFE", "\u0301"}) {
    EXPECT_FALSE(has_speech(text)) << text;
  }
}

}  // namespace
}  // namespace kazeia
