// links: kazeia_stage_text
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stages/text/internal.h"

namespace kazeia {
namespace {

using Pieces = std::vector<std::string>;

Pieces split(std::string_view text) {
  Pieces pieces;
  for (size_t at = 0; at < text.size();) {
    const size_t end = piece_end(text, at);
    EXPECT_GT(end, at);
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

TEST(Split, AWordTakesTheOneCharacterBeforeIt) {
  EXPECT_EQ(split("one two"), (Pieces{"one", " two"}));
  EXPECT_EQ(split("l\u2019\u00E9t\u00E9"), (Pieces{"l", "\u2019\u00E9t\u00E9"}));
  EXPECT_EQ(split("(a)\tb"), (Pieces{"(a", ")", "\tb"}));
  EXPECT_EQ(split("\u00AB\u00A0Oui"), (Pieces{"\u00AB", "\u00A0Oui"}));
}

TEST(Split, AContractionStandsAloneInAnyCase) {
  EXPECT_EQ(split("I'm it'S we'LL you'vE"), (Pieces{"I", "'m", " it", "'S", " we", "'LL", " you", "'vE"}));
  EXPECT_EQ(split("'store"), (Pieces{"'s", "tore"}));
  EXPECT_EQ(split("'\u017Fx"), (Pieces{"'\u017F", "x"}));
  EXPECT_EQ(split("'r 'l"), (Pieces{"'r", " '", "l"}));
  EXPECT_EQ(split("d'or"), (Pieces{"d", "'or"}));
}

TEST(Split, EachDigitStandsAlone) {
  EXPECT_EQ(split("12 3"), (Pieces{"1", "2", " ", "3"}));
  EXPECT_EQ(split("\u00BD\u2163"), (Pieces{"\u00BD", "\u2163"}));
}

TEST(Split, SignsTakeTheSpaceBeforeAndTheLineEndsAfter) {
  EXPECT_EQ(split("a !?\n\nb"), (Pieces{"a", " !?\n\n", "b"}));
  EXPECT_EQ(split("\u00A0!"), (Pieces{"\u00A0", "!"}));
  EXPECT_EQ(split("\u0301\u0301"), (Pieces{"\u0301\u0301"}));
}

TEST(Split, WhiteSpaceEndsAtItsLastLineEndOrLeavesOneSpaceForTheNextWord) {
  EXPECT_EQ(split("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(split("a \n \n  b"), (Pieces{"a", " \n \n", " ", " b"}));
  EXPECT_EQ(split("a   "), (Pieces{"a", "   "}));
  EXPECT_EQ(split("  \n "), (Pieces{"  \n", " "}));
  EXPECT_EQ(split("\r\n\r\nx"), (Pieces{"\r\n\r\n", "x"}));
  EXPECT_EQ(split("  1"), (Pieces{" ", " ", "1"}));
}

TEST(Split, ControlCharactersAndZeroWidthSpacesAreSigns) {
  EXPECT_EQ(split("a\x1C\u200B b"), (Pieces{"a", "\x1C\u200B", " b"}));
  EXPECT_EQ(split("\u200Bb"), (Pieces{"\u200B"
                                      "b"}));
}

}  // namespace
}  // namespace kazeia
