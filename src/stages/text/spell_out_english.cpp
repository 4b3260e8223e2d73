// English: numbers in words, names of letters, abbreviations.
#include <array>
#include <utility>

#include "stages/text/spelling_rules.h"

namespace kazeia {
namespace {

constexpr const char* kSmall[] = {"zero",     "one",     "two",     "three",     "four",     "five",    "six",
                                  "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
                                  "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr const char* kTens[] = {"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

void add(std::string& words, const std::string& more) { words += (words.empty() ? "" : " ") + more; }

// 1..999
std::string below_thousand(uint64_t number) {
  std::string words;
  if (number >= 100) add(words, std::string(kSmall[number / 100]) + " hundred");
  number %= 100;
  if (number >= 20) {
    add(words, kTens[number / 10]);
    number %= 10;
  }
  if (number > 0) add(words, kSmall[number]);
  return words;
}

std::string cardinal(uint64_t number, Gender) {
  if (number == 0) return kSmall[0];
  std::string words;
  for (const auto& [size, name] :
       {std::pair{uint64_t{1'000'000'000}, " billion"}, {1'000'000, " million"}, {1'000, " thousand"}}) {
    if (number >= size) add(words, below_thousand(number / size) + name);
    number %= size;
  }
  if (number > 0) add(words, below_thousand(number));
  return words;
}

std::string ordinal(uint64_t number, Gender gender) {
  std::string words = cardinal(number, gender);
  const size_t space = words.rfind(' ');
  const size_t last = space == std::string::npos ? 0 : space + 1;
  const std::string word = words.substr(last);
  for (const auto& [from, to] : {std::pair{"one", "first"},
                                 {"two", "second"},
                                 {"three", "third"},
                                 {"five", "fifth"},
                                 {"eight", "eighth"},
                                 {"nine", "ninth"},
                                 {"twelve", "twelfth"}}) {
    if (word == from) return words.substr(0, last) + to;
  }
  if (word.ends_with('y')) return words.substr(0, words.size() - 1) + "ieth";
  return words + "th";
}

std::string decimals(std::string_view digits) { return digit_by_digit(digits, kEnglishSpelling); }

std::string time(int hour, int minute) {
  const std::string hours = cardinal(static_cast<uint64_t>(hour), Gender::masculine);
  const std::string minutes = cardinal(static_cast<uint64_t>(minute), Gender::masculine);
  if (minute == 0) return hour > 12 || hour == 0 ? hours + " hundred" : hours + " o'clock";
  return hours + (minute < 10 ? " oh " : " ") + minutes;
}

// "five dollars and twenty cents"
std::string money(const std::string& whole, const Currency& currency, bool is_one, std::string_view cents) {
  const std::string amount = whole + " " + (is_one ? currency.one : currency.many);
  if (cents.empty()) return amount;
  const uint64_t count = std::stoul(std::string(cents));
  return amount + " and " + cardinal(count, currency.gender) + " " + (count == 1 ? currency.cent : currency.cents);
}

constexpr std::array<const char*, 26> kLetters = {
    "ay", "bee", "see", "dee", "ee",  "eff", "gee", "aitch", "eye", "jay",        "kay", "ell", "em",
    "en", "oh",  "pea", "cue", "are", "ess", "tea", "you",   "vee", "double you", "ex",  "why", "zee"};
constexpr OrdinalEnding kOrdinals[] = {
    {U"st", Gender::masculine}, {U"nd", Gender::masculine}, {U"rd", Gender::masculine}, {U"th", Gender::masculine}};
constexpr Words kAbbreviations[] = {
    {U"Mr.", "Mister"},       {U"Mr", "Mister"},    {U"Mrs.", "Missus"},    {U"Mrs", "Missus"},
    {U"Ms.", "Miss"},         {U"Ms", "Miss"},      {U"Dr.", "Doctor"},     {U"Dr", "Doctor"},
    {U"Prof.", "Professor"},  {U"St.", "Saint"},    {U"Jr.", "Junior"},     {U"Sr.", "Senior"},
    {U"vs.", "versus"},       {U"vs", "versus"},    {U"etc.", "et cetera"}, {U"etc", "et cetera"},
    {U"e.g.", "for example"}, {U"i.e.", "that is"}, {U"approx.", "about"},  {U"OK", "okay"},
    {U"NASA", "Nasa"},        {U"NATO", "Nayto"},   {U"AIDS", "aids"},      {U"TV", "tee vee"}};
constexpr Words kSymbols[] = {{U"&", "and"},
                              {U"@", "at"},
                              {U"+", "plus"},
                              {U"=", "equals"},
                              {U"%", "percent"},
                              {U"#", "number"},
                              {U"\u00B0", "degrees"},
                              {U"\u00D7", "times"},
                              {U"\u00F7", "divided by"},
                              {U"\u00BD", "one half"},
                              {U"\u00BC", "one quarter"},
                              {U"\u00BE", "three quarters"},
                              {U"\u00B2", "squared"},
                              {U"\u00B3", "cubed"},
                              {U"\u20AC", "euros"},
                              {U"$", "dollars"},
                              {U"\u00A3", "pounds"},
                              {U"\u00A9", "copyright"}};
constexpr Words kFractions[] = {{U"1/2", "one half"},
                                {U"1/3", "one third"},
                                {U"2/3", "two thirds"},
                                {U"1/4", "one quarter"},
                                {U"3/4", "three quarters"}};
constexpr Unit kUnits[] = {{U"km/h", "kilometer an hour", "kilometers an hour"},
                           {U"mph", "mile an hour", "miles an hour"},
                           {U"km", "kilometer", "kilometers"},
                           {U"cm", "centimeter", "centimeters"},
                           {U"mm", "millimeter", "millimeters"},
                           {U"kg", "kilogram", "kilograms"},
                           {U"ml", "milliliter", "milliliters"},
                           {U"ms", "millisecond", "milliseconds"},
                           {U"min", "minute", "minutes"},
                           {U"\u00B0C", "degree Celsius", "degrees Celsius"},
                           {U"\u00B0F", "degree Fahrenheit", "degrees Fahrenheit"},
                           {U"\u00B0", "degree", "degrees"},
                           {U"m", "meter", "meters"},
                           {U"g", "gram", "grams"},
                           {U"l", "liter", "liters"},
                           {U"s", "second", "seconds"}};
constexpr Currency kCurrencies[] = {{U'$', "dollar", "dollars", "cent", "cents", Gender::masculine},
                                    {U'\u20AC', "euro", "euros", "cent", "cents", Gender::masculine},
                                    {U'\u00A3', "pound", "pounds", "penny", "pence", Gender::masculine}};
constexpr std::u32string_view kMagnitudes[] = {U"hundred", U"thousand", U"million", U"billion", U"trillion"};

}  // namespace

constinit const SpellingRules kEnglishSpelling = {.cardinal = cardinal,
                                                  .ordinal = ordinal,
                                                  .decimals = decimals,
                                                  .time = time,
                                                  .money = money,
                                                  .decimal_mark = U'.',
                                                  .space_groups_thousands = false,
                                                  .hour_letter = false,
                                                  .space_before_marks = false,
                                                  .point = "point",
                                                  .dot = "dot",
                                                  .percent = "percent",
                                                  .minus = "minus",
                                                  .to = "to",
                                                  .over = "over",
                                                  .kept_letters = U"",
                                                  .one_letter_words = U"aio",
                                                  .letters = kLetters,
                                                  .ordinal_endings = kOrdinals,
                                                  .abbreviations = kAbbreviations,
                                                  .symbols = kSymbols,
                                                  .fractions = kFractions,
                                                  .units = kUnits,
                                                  .currencies = kCurrencies,
                                                  .magnitudes = kMagnitudes,
                                                  .before_number = U"No.",
                                                  .number_word = "number"};

}  // namespace kazeia
