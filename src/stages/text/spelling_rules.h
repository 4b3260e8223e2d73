// What spelling out needs to know of a language, for the files of this folder.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kazeia {

// Of the noun that is counted; English does not care.
enum class Gender { masculine, feminine };

struct Words {
  std::u32string_view written;
  const char* spoken;
};

struct Unit {
  std::u32string_view written;
  const char *one, *many;
};

struct Currency {
  char32_t sign;
  const char *one, *many, *cent, *cents;
  Gender gender;
};

struct OrdinalEnding {
  std::u32string_view written;
  Gender gender;
};

inline constexpr uint64_t kMostSpelled = 999'999'999'999;

struct SpellingRules {
  std::string (*cardinal)(uint64_t number, Gender gender);  // up to kMostSpelled
  std::string (*ordinal)(uint64_t number, Gender gender);
  std::string (*decimals)(std::string_view digits);  // what follows the decimal mark, in words
  std::string (*time)(int hour, int minute);         // 0..24, 0..59
  std::string (*money)(const std::string& whole, const Currency& currency, bool is_one, std::string_view cents);

  char32_t decimal_mark;        // the other one of , and . groups thousands
  bool space_groups_thousands;  // 12 000
  bool hour_letter;             // 12h30
  bool space_before_marks;      // "quoi ?"
  const char *point, *dot, *percent, *minus, *to, *over;
  std::u32string_view kept_letters;      // beside a-z: with their accents, lower case
  std::u32string_view one_letter_words;  // lower case: words, not names of letters
  std::span<const char* const, 26> letters;
  std::span<const OrdinalEnding> ordinal_endings;
  std::span<const Words> abbreviations;  // with their dots
  std::span<const Words> symbols;        // one character each
  std::span<const Words> fractions;      // 1/2
  std::span<const Unit> units;           // after a number
  std::span<const Currency> currencies;
  std::span<const std::u32string_view> magnitudes;  // $5 million
  std::u32string_view before_number;                // "No." is "number" before a digit only
  const char* number_word;
};

// The digits one by one, with spaces.
std::string digit_by_digit(std::string_view digits, const SpellingRules& rules);

extern const SpellingRules kEnglishSpelling, kFrenchSpelling;

}  // namespace kazeia
