// Words for everything that is written otherwise: for models that were trained on words alone (TextPreparation).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kazeia {

struct SpellingRules;  // of one language

// Null for a language without rules. name: as in the model's languages, lower case.
const SpellingRules* spelling_rules(std::string_view language);

struct SpelledText {
  std::string text;
  int num_left_out = 0;  // letters and digits of other scripts, which have no words here
};

// What comes out is made of the language's letters, spaces, blank lines between paragraphs, and , . ' ? ! : ; - alone:
//   numbers        integers below 10^12, decimals, ordinals, ranges, fractions; longer ones, codes with a leading zero
//                  and telephone numbers digit by digit. Years are plain numbers
//   12:30, 50 %    times, percent, amounts in $, EUR and GBP signs, common units
//   Dr., e.g.      common abbreviations in full
//   USB, b         upper-case words of up to four letters (or without a vowel) and single letters as letter names
//   & @ + =        words; brackets and dashes become commas, quotation marks nothing
// Words stay as they are: what has no digits, symbols or abbreviations in it is changed in its spacing at most.
SpelledText spell_out(std::string_view text, const SpellingRules& rules);

}  // namespace kazeia
