// links: kazeia_stage_text
// Long texts become pieces; nothing but white space and the marks at the cuts is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stages/text/internal.h"
#include "stages/text/pieces.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

using Pieces = std::vector<std::string>;

TEST(Pieces, each_sentence_is_one) {
  EXPECT_EQ(split_pieces("Hello. How are you? Fine!", 110), (Pieces{"Hello.", "How are you?", "Fine!"}));
  EXPECT_EQ(split_pieces("Bonjour ! Tu viens ? Oui.", 110), (Pieces{"Bonjour !", "Tu viens ?", "Oui."}));
  EXPECT_EQ(split_pieces("He said \"no.\" Then he left.", 110), (Pieces{"He said \"no.\"", "Then he left."}));
  EXPECT_EQ(split_pieces("No end", 110), (Pieces{"No end"}));
}

TEST(Pieces, a_mark_inside_a_sentence_ends_nothing) {
  EXPECT_EQ(split_pieces("\"Why?\" he asked.", 110), (Pieces{"\"Why?\" he asked."}));
  EXPECT_EQ(split_pieces("Pi is 3.14, see kazeia.org now.", 110), (Pieces{"Pi is 3.14, see kazeia.org now."}));
  EXPECT_EQ(split_pieces("Wait... what", 110), (Pieces{"Wait... what"}));
}

TEST(Pieces, a_blank_line_ends_a_sentence_and_a_line_end_does_not) {
  EXPECT_EQ(split_pieces("Title\n\nText that\ngoes on.", 110), (Pieces{"Title", "Text that\ngoes on."}));
  EXPECT_EQ(split_pieces("One\n \nTwo", 110), (Pieces{"One", "Two"}));
}

TEST(Pieces, a_long_sentence_is_cut_at_commas_into_parts_of_similar_length) {
  EXPECT_EQ(split_pieces("First comes one part, then comes another.", 30),
            (Pieces{"First comes one part", "then comes another."}));
  EXPECT_EQ(split_pieces("Well, this sentence has no good comma anywhere.", 30),
            (Pieces{"Well, this sentence has", "no good comma anywhere."}));
}

TEST(Pieces, words_are_cut_only_when_longer_than_the_limit) {
  EXPECT_EQ(split_pieces("aaaa bbbb cccc", 9), (Pieces{"aaaa bbbb", "cccc"}));
  EXPECT_EQ(split_pieces("aaaaaaaaaa", 4), (Pieces{"aaaa", "aaaa", "aa"}));
  EXPECT_EQ(split_pieces("\xC3\xA9\xC3\xA9\xC3\xA9", 2), (Pieces{"\xC3\xA9\xC3\xA9", "\xC3\xA9"}));
}

TEST(Pieces, what_has_nothing_to_speak_is_left_out) {
  EXPECT_EQ(split_pieces("", 110), Pieces{});
  EXPECT_EQ(split_pieces(" \n\n ... !? ", 110), Pieces{});
  EXPECT_EQ(split_pieces("Yes. ... No.", 110), (Pieces{"Yes.", "No."}));
}

std::string speech_of(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = read_utf8(text, at);
    const CharClass what = class_of(c.codepoint);
    if (what == CharClass::letter || what == CharClass::number) append_utf8(out, c.codepoint);
    at = c.end;
  }
  return out;
}

TEST(Pieces, random_texts_keep_every_letter_and_every_piece_keeps_the_limit) {
  std::mt19937 random(7);
  const std::u32string alphabet = U"abcDE 1\u00E9\u4E2D,.;:!?-\n\"' \U0001F600\u3002";
  for (int round = 0; round < 2000; ++round) {
    std::u32string text;
    for (size_t length = random() % 120; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const std::string encoded = encode_utf8(text);
    const int most = 1 + static_cast<int>(random() % 30);
    std::string together;
    for (const std::string& piece : split_pieces(encoded, most)) {
      EXPECT_LE(num_codepoints(piece), most);
      EXPECT_TRUE(has_speech(piece));
      together += piece;
    }
    EXPECT_EQ(speech_of(together), speech_of(encoded)) << encoded << " at most " << most;
  }
}

}  // namespace
}  // namespace kazeia
