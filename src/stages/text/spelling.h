// The parts of spelling out that walk through a text, for the files of this folder.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "stages/text/spelling_rules.h"

namespace kazeia {

inline bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
inline bool is_blank(char32_t c) { return c == U' ' || c == 0xA0 || c == 0x202F || c == 0x2009; }

// The character at `at`, 0 beyond the end.
inline char32_t char_at(std::u32string_view text, size_t at) { return at < text.size() ? text[at] : 0; }

bool is_letter(char32_t c);
bool is_upper(char32_t c);  // Latin-1 and OE; false for other scripts
char32_t to_lower(char32_t c);

// The currency whose sign stands at `at` before an amount, or null.
const Currency* currency_before(std::u32string_view text, size_t at, const SpellingRules& rules);

// The words of the number, time or telephone number that starts with the digit at `at`, with what belongs to it after
// it (ordinal ending, %, currency, unit); moves `at` behind it. before: the currency that stood before it, or null.
std::string spell_number(std::u32string_view text, size_t& at, const Currency* before, const SpellingRules& rules);

// One space between words, one mark where several meet, spaces around marks as the language writes them.
std::string tidy_marks(std::string_view text, const SpellingRules& rules);

}  // namespace kazeia
