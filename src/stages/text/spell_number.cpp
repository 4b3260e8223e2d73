// Numbers and what is written like them. The order of the attempts matters: a time is not a number with a colon.
#include <algorithm>
#include <optional>
#include <vector>

#include "stages/text/spelling.h"

namespace kazeia {
namespace {

size_t digits_end(std::u32string_view text, size_t at) {
  while (is_digit(char_at(text, at))) ++at;
  return at;
}

std::string ascii(std::u32string_view digits) { return std::string(digits.begin(), digits.end()); }

bool starts_with(std::u32string_view text, size_t at, std::u32string_view what) {
  return text.size() >= at && text.substr(at).starts_with(what);
}

// Whether a word ends here: "5 m" is a unit, "5 men" is not.
bool ends_word(std::u32string_view text, size_t at) {
  return !is_letter(char_at(text, at)) && !is_digit(char_at(text, at));
}

struct Number {
  std::string digits;    // without marks of thousands
  std::string decimals;  // empty: none
};

// Digits that stay digits: too long to have a name, or a code.
bool is_code(const std::string& digits) { return digits.size() > 12 || (digits.size() > 1 && digits[0] == '0'); }

std::string whole_words(const std::string& digits, const SpellingRules& rules, Gender gender) {
  return is_code(digits) ? digit_by_digit(digits, rules) : rules.cardinal(std::stoull(digits), gender);
}

std::string number_words(const Number& number, const SpellingRules& rules, Gender gender = Gender::masculine) {
  const bool has_decimals = !number.decimals.empty();
  // "0.5" has a zero in front that is no code.
  std::string words = whole_words(number.digits, rules, has_decimals ? Gender::masculine : gender);
  return has_decimals ? words + " " + rules.point + " " + rules.decimals(number.decimals) : words;
}

// Whether exactly three digits follow the mark at `at`.
bool groups_thousand(std::u32string_view text, size_t at) { return digits_end(text, at + 1) == at + 4; }

Number read_number(std::u32string_view text, size_t& at, const SpellingRules& rules) {
  size_t end = digits_end(text, at);
  Number number{ascii(text.substr(at, end - at)), ""};
  const char32_t group_mark = rules.decimal_mark == U',' ? U'.' : U',';
  const char32_t mark = char_at(text, end);
  const bool may_group = mark == group_mark || (rules.space_groups_thousands && is_blank(mark));
  if (may_group && number.digits.size() <= 3 && number.digits[0] != '0') {
    for (; char_at(text, end) == mark && groups_thousand(text, end); end += 4)
      number.digits += ascii(text.substr(end + 1, 3));
  }
  // A point is a decimal mark everywhere: 3.5 in a French text too.
  const bool is_decimal = char_at(text, end) == rules.decimal_mark || char_at(text, end) == U'.';
  if (is_decimal && is_digit(char_at(text, end + 1))) {
    const size_t decimals = end + 1;
    end = digits_end(text, decimals);
    number.decimals = ascii(text.substr(decimals, end - decimals));
  }
  at = end;
  return number;
}

// Groups of digits with one kind of separator between them: 555-1234, 06 12 34 56 78, 1.2.3.
std::vector<std::string> read_groups(std::u32string_view text, size_t at, char32_t separator, size_t& end) {
  std::vector<std::string> groups;
  for (size_t next = at;; next = end + 1) {
    end = digits_end(text, next);
    groups.push_back(ascii(text.substr(next, end - next)));
    if (char_at(text, end) != separator || !is_digit(char_at(text, end + 1))) return groups;
  }
}

bool sizes_are(const std::vector<std::string>& groups, std::initializer_list<size_t> sizes) {
  return std::equal(groups.begin(), groups.end(), sizes.begin(), sizes.end(),
                    [](const std::string& group, size_t size) { return group.size() == size; });
}

bool is_phone(const std::vector<std::string>& groups, char32_t separator) {
  const bool pairs =
      groups.size() >= 4 && std::all_of(groups.begin(), groups.end(), [](const auto& g) { return g.size() == 2; });
  if (separator == U' ') return pairs && groups[0][0] == '0';
  if (sizes_are(groups, {3, 3, 4}) || pairs) return true;
  return separator == U'-' && (groups.size() >= 3 || sizes_are(groups, {3, 4})) && !sizes_are(groups, {4, 2, 2});
}

std::optional<std::string> spell_groups(std::u32string_view text, size_t& at, const SpellingRules& rules) {
  for (const char32_t separator : {U'-', U'.', U' '}) {
    size_t end = at;
    const auto groups = read_groups(text, at, separator, end);
    const bool phone = is_phone(groups, separator);
    const bool date = separator == U'-' && sizes_are(groups, {4, 2, 2});
    // Not 1.000.000 where points group thousands.
    const bool thousands = rules.decimal_mark == U',' &&
                           std::all_of(groups.begin() + 1, groups.end(), [](const auto& g) { return g.size() == 3; });
    const bool version = separator == U'.' && groups.size() >= 3 && !thousands;
    if (!phone && !date && !version) continue;
    std::string words;
    for (const std::string& group : groups) {
      if (!words.empty()) words += phone ? ", " : version ? " " + std::string(rules.dot) + " " : " ";
      words +=
          phone ? digit_by_digit(group, rules) : rules.cardinal(std::stoull(group.substr(0, 12)), Gender::masculine);
    }
    at = end;
    return words;
  }
  return std::nullopt;
}

// 12:30; where hours are written with h, also 12h30, 12 h 30 and 12 h.
std::optional<std::string> spell_time(std::u32string_view text, size_t& at, const SpellingRules& rules) {
  size_t mark = digits_end(text, at);
  const std::string hours = ascii(text.substr(at, mark - at));
  if (hours.size() > 2 || std::stoi(hours) > 24) return std::nullopt;
  if (rules.hour_letter && is_blank(char_at(text, mark)) && char_at(text, mark + 1) == U'h') ++mark;
  const bool has_letter = rules.hour_letter && char_at(text, mark) == U'h' && !is_letter(char_at(text, mark + 1));
  if (!has_letter && char_at(text, mark) != U':') return std::nullopt;

  const size_t minutes = has_letter && is_blank(char_at(text, mark + 1)) ? mark + 2 : mark + 1;
  const size_t end = digits_end(text, minutes);
  const bool has_minutes = end == minutes + 2 && text[minutes] < U'6';
  const bool has_seconds = char_at(text, end) == U':' && is_digit(char_at(text, end + 1));
  if (has_seconds || (!has_minutes && !has_letter)) return std::nullopt;
  at = has_minutes ? end : mark + 1;
  return rules.time(std::stoi(hours), has_minutes ? std::stoi(ascii(text.substr(minutes, 2))) : 0);
}

// 1/2. Other numbers over each other are read so.
std::optional<std::string> spell_fraction(std::u32string_view text, size_t& at, const SpellingRules& rules) {
  const size_t slash = digits_end(text, at), end = digits_end(text, slash + 1);
  if (char_at(text, slash) != U'/' || end == slash + 1 || char_at(text, end) == U'/') return std::nullopt;
  const std::u32string_view written = text.substr(at, end - at);
  for (const Words& fraction : rules.fractions) {
    if (written != fraction.written) continue;
    at = end;
    return fraction.spoken;
  }
  const auto words = [&](size_t from, size_t to) {
    return whole_words(ascii(text.substr(from, to - from)), rules, Gender::masculine);
  };
  const std::string both = words(at, slash) + " " + rules.over + " " + words(slash + 1, end);
  at = end;
  return both;
}

bool is_one(const Number& number, const SpellingRules& rules) {
  // French counts in the plural from two on, English with everything but exactly one.
  if (rules.decimal_mark == U',') return number.digits == "0" || number.digits == "1";
  return number.digits == "1" && number.decimals.empty();
}

std::string spell_money(std::u32string_view text, size_t& at, const Number& number, const Currency& currency,
                        const SpellingRules& rules) {
  for (const std::u32string_view magnitude : rules.magnitudes) {
    if (!is_blank(char_at(text, at)) || !starts_with(text, at + 1, magnitude) ||
        !ends_word(text, at + 1 + magnitude.size()))
      continue;
    at += 1 + magnitude.size();
    return number_words(number, rules) + " " + ascii(magnitude) + " " + currency.many;
  }
  const std::string& cents = number.decimals;
  if (!cents.empty() && cents.size() != 2) return number_words(number, rules) + " " + currency.many;
  const bool has_cents = cents.size() == 2 && cents != "00";
  if (has_cents && number.digits == "0") {
    const uint64_t count = std::stoul(cents);
    return rules.cardinal(count, Gender::masculine) + " " + (count == 1 ? currency.cent : currency.cents);
  }
  const bool one = is_one({number.digits, ""}, rules);
  return rules.money(whole_words(number.digits, rules, currency.gender), currency, one,
                     has_cents ? std::string_view(cents) : "");
}

// English decades: 1990s.
std::string plural(std::string words) {
  if (words.ends_with('y')) return words.substr(0, words.size() - 1) + "ies";
  return words + "s";
}

std::optional<std::string> spell_ending(std::u32string_view text, size_t& at, const Number& number,
                                        const SpellingRules& rules) {
  if (!number.decimals.empty() || is_code(number.digits)) return std::nullopt;
  for (const OrdinalEnding& ending : rules.ordinal_endings) {
    if (!starts_with(text, at, ending.written) || !ends_word(text, at + ending.written.size())) continue;
    at += ending.written.size();
    return rules.ordinal(std::stoull(number.digits), ending.gender);
  }
  if (number.digits.size() == 4 && char_at(text, at) == U's' && ends_word(text, at + 1)) {
    ++at;
    return plural(number_words(number, rules));
  }
  return std::nullopt;
}

// What stands after a number, with or without a space: %, a currency sign, a unit.
std::optional<std::string> spell_measure(std::u32string_view text, size_t& at, const Number& number,
                                         const SpellingRules& rules) {
  const size_t next = is_blank(char_at(text, at)) ? at + 1 : at;
  if (char_at(text, next) == U'%') {
    at = next + 1;
    return number_words(number, rules) + " " + rules.percent;
  }
  for (const Currency& currency : rules.currencies) {
    // "5 $10" is two things: the sign belongs to what follows it.
    if (char_at(text, next) != currency.sign || is_digit(char_at(text, next + 1))) continue;
    at = next + 1;
    return spell_money(text, at, number, currency, rules);
  }
  for (const Unit& unit : rules.units) {
    if (!starts_with(text, next, unit.written) || !ends_word(text, next + unit.written.size())) continue;
    at = next + unit.written.size();
    return number_words(number, rules) + " " + (is_one(number, rules) ? unit.one : unit.many);
  }
  return std::nullopt;
}

}  // namespace

std::string digit_by_digit(std::string_view digits, const SpellingRules& rules) {
  std::string words;
  for (const char digit : digits) {
    if (!words.empty()) words += ' ';
    words += rules.cardinal(static_cast<uint64_t>(digit - '0'), Gender::masculine);
  }
  return words;
}

const Currency* currency_before(std::u32string_view text, size_t at, const SpellingRules& rules) {
  for (const Currency& currency : rules.currencies) {
    if (char_at(text, at) == currency.sign && is_digit(char_at(text, at + 1))) return &currency;
  }
  return nullptr;
}

std::string spell_number(std::u32string_view text, size_t& at, const Currency* before, const SpellingRules& rules) {
  if (before == nullptr) {
    if (auto words = spell_groups(text, at, rules)) return *std::move(words);
    if (auto words = spell_time(text, at, rules)) return *std::move(words);
    if (auto words = spell_fraction(text, at, rules)) return *std::move(words);
  }
  const Number number = read_number(text, at, rules);
  if (before != nullptr) return spell_money(text, at, number, *before, rules);
  if (auto words = spell_ending(text, at, number, rules)) return *std::move(words);
  if (auto words = spell_measure(text, at, number, rules)) return *std::move(words);
  const bool is_range = (char_at(text, at) == U'-' || char_at(text, at) == 0x2013) && is_digit(char_at(text, at + 1));
  if (is_range) ++at;
  return number_words(number, rules) + (is_range ? " " + std::string(rules.to) + " " : "");
}

}  // namespace kazeia
