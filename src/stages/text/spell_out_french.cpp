// French: numbers in words (all hyphens within a hundred, as before 1990), names of letters, abbreviations.
#include <algorithm>
#include <array>
#include <utility>

#include "stages/text/spelling_rules.h"

namespace kazeia {
namespace {

constexpr const char* kSmall[] = {"z\u00E9ro", "un",     "deux",  "trois",    "quatre",   "cinq",    "six",
                                  "sept",      "huit",   "neuf",  "dix",      "onze",     "douze",   "treize",
                                  "quatorze",  "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"};
constexpr const char* kTens[] = {"",          "",         "vingt",    "trente",       "quarante",
                                 "cinquante", "soixante", "soixante", "quatre-vingt", "quatre-vingt"};

void add(std::string& words, const std::string& more) { words += (words.empty() ? "" : " ") + more; }

// 1..99. is_last: nothing follows, so quatre-vingts has its s.
std::string below_hundred(uint64_t number, Gender gender, bool is_last) {
  if (number == 1 && gender == Gender::feminine) return "une";
  if (number < 20) return kSmall[number];
  const uint64_t tens = number / 10;
  // Seventies and nineties count on from sixty and eighty.
  const uint64_t rest = tens == 7 || tens == 9 ? number % 10 + 10 : number % 10;
  const std::string base = kTens[tens];
  if (rest == 0) return base + (tens == 8 && is_last ? "s" : "");
  if (rest == 1 && tens < 8) return base + (gender == Gender::feminine ? " et une" : " et un");
  if (rest == 11 && tens == 7) return base + " et onze";
  return base + "-" + below_hundred(rest, gender, false);
}

// 1..999
std::string below_thousand(uint64_t number, Gender gender, bool is_last) {
  std::string words;
  const uint64_t hundreds = number / 100, rest = number % 100;
  if (hundreds > 1) add(words, kSmall[hundreds]);
  if (hundreds > 0) add(words, hundreds > 1 && rest == 0 && is_last ? "cents" : "cent");
  if (rest > 0) add(words, below_hundred(rest, gender, is_last));
  return words;
}

std::string cardinal(uint64_t number, Gender gender) {
  if (number == 0) return kSmall[0];
  std::string words;
  for (const auto& [size, name] : {std::pair{uint64_t{1'000'000'000}, " milliard"}, {1'000'000, " million"}}) {
    const uint64_t count = number / size;
    if (count > 0) add(words, below_thousand(count, Gender::masculine, true) + name + (count > 1 ? "s" : ""));
    number %= size;
  }
  const uint64_t thousands = number / 1000;
  if (thousands > 1) add(words, below_thousand(thousands, Gender::masculine, false));
  if (thousands > 0) add(words, "mille");
  if (number % 1000 > 0) add(words, below_thousand(number % 1000, gender, true));
  return words;
}

std::string ordinal(uint64_t number, Gender gender) {
  if (number == 1) return gender == Gender::feminine ? "premi\u00E8re" : "premier";
  std::string words = cardinal(number, Gender::masculine);
  if (words.ends_with("vingts") || words.ends_with("cents") || words.ends_with("illions") ||
      words.ends_with("illiards"))
    words.pop_back();
  if (words.ends_with("cinq")) return words + "ui\u00E8me";
  if (words.ends_with("neuf")) return words.substr(0, words.size() - 1) + "vi\u00E8me";
  if (words.ends_with('e')) words.pop_back();
  return words + "i\u00E8me";
}

// Zeros one by one, then a number: 3,05 is "z\u00E9ro cinq", 3,14 "quatorze". Long ones digit by digit.
std::string decimals(std::string_view digits) {
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  const std::string_view rest = digits.substr(zeros);
  if (rest.empty() || rest.size() > 3) return digit_by_digit(digits, kFrenchSpelling);
  std::string words = digit_by_digit(digits.substr(0, zeros), kFrenchSpelling);
  add(words, cardinal(std::stoul(std::string(rest)), Gender::masculine));
  return words;
}

std::string time(int hour, int minute) {
  std::string words = cardinal(static_cast<uint64_t>(hour), Gender::feminine) + (hour > 1 ? " heures" : " heure");
  if (minute > 0) words += " " + cardinal(static_cast<uint64_t>(minute), Gender::feminine);
  return words;
}

// "cinq euros vingt"
std::string money(const std::string& whole, const Currency& currency, bool is_one, std::string_view cents) {
  const std::string amount = whole + " " + (is_one ? currency.one : currency.many);
  return cents.empty() ? amount : amount + " " + cardinal(std::stoul(std::string(cents)), Gender::masculine);
}

constexpr std::array<const char*, 26> kLetters = {
    "a",  "b\u00E9", "c\u00E9",        "d\u00E9", "eu",     "effe",     "g\u00E9", "ache", "i",    "ji",
    "ka", "elle",    "emme",           "enne",    "o",      "p\u00E9",  "cu",      "erre", "esse", "t\u00E9",
    "u",  "v\u00E9", "double v\u00E9", "ixe",     "i grec", "z\u00E8de"};
constexpr OrdinalEnding kOrdinals[] = {{U"\u00E8re", Gender::feminine},
                                       {U"er", Gender::masculine},
                                       {U"re", Gender::feminine},
                                       {U"\u00E8me", Gender::masculine},
                                       {U"e", Gender::masculine}};
constexpr Words kAbbreviations[] = {{U"M.", "Monsieur"},
                                    {U"MM.", "Messieurs"},
                                    {U"Mme", "Madame"},
                                    {U"Mmes", "Mesdames"},
                                    {U"Mlle", "Mademoiselle"},
                                    {U"Dr", "Docteur"},
                                    {U"Dr.", "Docteur"},
                                    {U"Pr", "Professeur"},
                                    {U"St", "Saint"},
                                    {U"Ste", "Sainte"},
                                    {U"etc.", "et c\u00E9t\u00E9ra"},
                                    {U"etc", "et c\u00E9t\u00E9ra"},
                                    {U"p. ex.", "par exemple"},
                                    {U"env.", "environ"},
                                    {U"OK", "ok\u00E9"},
                                    {U"OTAN", "Otan"},
                                    {U"SIDA", "sida"},
                                    {U"NASA", "Nasa"},
                                    {U"TV", "t\u00E9 v\u00E9"}};
constexpr Words kSymbols[] = {{U"&", "et"},
                              {U"@", "arobase"},
                              {U"+", "plus"},
                              {U"=", "\u00E9gale"},
                              {U"%", "pour cent"},
                              {U"#", "di\u00E8se"},
                              {U"\u00B0", "degr\u00E9s"},
                              {U"\u00D7", "fois"},
                              {U"\u00F7", "divis\u00E9 par"},
                              {U"\u00BD", "un demi"},
                              {U"\u00BC", "un quart"},
                              {U"\u00BE", "trois quarts"},
                              {U"\u00B2", "au carr\u00E9"},
                              {U"\u00B3", "au cube"},
                              {U"\u20AC", "euros"},
                              {U"$", "dollars"},
                              {U"\u00A3", "livres"}};
constexpr Words kFractions[] = {
    {U"1/2", "un demi"}, {U"1/3", "un tiers"}, {U"2/3", "deux tiers"}, {U"1/4", "un quart"}, {U"3/4", "trois quarts"}};
constexpr Unit kUnits[] = {{U"km/h", "kilom\u00E8tre heure", "kilom\u00E8tres heure"},
                           {U"km", "kilom\u00E8tre", "kilom\u00E8tres"},
                           {U"cm", "centim\u00E8tre", "centim\u00E8tres"},
                           {U"mm", "millim\u00E8tre", "millim\u00E8tres"},
                           {U"kg", "kilo", "kilos"},
                           {U"ml", "millilitre", "millilitres"},
                           {U"ms", "milliseconde", "millisecondes"},
                           {U"min", "minute", "minutes"},
                           {U"\u00B0C", "degr\u00E9", "degr\u00E9s"},
                           {U"\u00B0", "degr\u00E9", "degr\u00E9s"},
                           {U"m", "m\u00E8tre", "m\u00E8tres"},
                           {U"g", "gramme", "grammes"},
                           {U"l", "litre", "litres"},
                           {U"s", "seconde", "secondes"}};
constexpr Currency kCurrencies[] = {{U'\u20AC', "euro", "euros", "centime", "centimes", Gender::masculine},
                                    {U'$', "dollar", "dollars", "centime", "centimes", Gender::masculine},
                                    {U'\u00A3', "livre", "livres", "penny", "pence", Gender::feminine}};
constexpr std::u32string_view kMagnitudes[] = {U"mille"};

}  // namespace

constinit const SpellingRules kFrenchSpelling = {
    .cardinal = cardinal,
    .ordinal = ordinal,
    .decimals = decimals,
    .time = time,
    .money = money,
    .decimal_mark = U',',
    .space_groups_thousands = true,
    .hour_letter = true,
    .space_before_marks = true,
    .point = "virgule",
    .dot = "point",
    .percent = "pour cent",
    .minus = "moins",
    .to = "\u00E0",
    .over = "sur",
    .kept_letters = U"\u00E0\u00E2\u00E7\u00E9\u00E8\u00EA\u00EB\u00EE\u00EF\u00F4\u00F9\u00FB\u00FC\u0153",
    .one_letter_words = U"a\u00E0y",
    .letters = kLetters,
    .ordinal_endings = kOrdinals,
    .abbreviations = kAbbreviations,
    .symbols = kSymbols,
    .fractions = kFractions,
    .units = kUnits,
    .currencies = kCurrencies,
    .magnitudes = kMagnitudes,
    .before_number = U"n\u00B0",
    .number_word = "num\u00E9ro"};

}  // namespace kazeia
