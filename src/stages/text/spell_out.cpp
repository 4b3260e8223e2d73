// Walks through a text once: numbers, abbreviations, letters and symbols become words, everything else stays.
#include "stages/text/spell_out.h"

#include <algorithm>

#include "stages/text/internal.h"
#include "stages/text/spelling.h"
#include "stages/text/unicode_tables.h"

namespace kazeia {
namespace {

bool is_apostrophe(char32_t c) { return c == U'\'' || c == 0x2019 || c == 0x2018 || c == 0x02BC; }
bool is_hyphen(char32_t c) { return c == U'-' || c == 0x2010 || c == 0x2011; }
bool is_white(char32_t c) {
  return is_blank(c) || class_of(c) == CharClass::space || class_of(c) == CharClass::newline;
}

// Letters that decompose into nothing simpler.
constexpr Words kPlainLetters[] = {{U"\u0153", "oe"}, {U"\u00E6", "ae"}, {U"\u00DF", "ss"}, {U"\u00F8", "o"},
                                   {U"\u0142", "l"},  {U"\u0141", "L"},  {U"\u0110", "D"},  {U"\u0111", "d"},
                                   {U"\u00F0", "d"},  {U"\u00FE", "th"}};

// The letter as the language writes it; empty if it has no such letter.
std::string fold(char32_t letter, const SpellingRules& rules) {
  std::string out;
  if (letter < 0x80 || rules.kept_letters.find(to_lower(letter)) != rules.kept_letters.npos) {
    append_utf8(out, letter);
    return out;
  }
  for (const Words& plain : kPlainLetters) {
    if (plain.written[0] == to_lower(letter)) return plain.spoken;
  }
  const auto steps = decompositions();
  for (;;) {
    const auto step = std::lower_bound(steps.begin(), steps.end(), letter,
                                       [](const Decomposition& row, char32_t c) { return row.composed < c; });
    if (step == steps.end() || step->composed != letter) return "";
    letter = step->first;
    if (letter < 0x80) return std::string(1, static_cast<char>(letter));
  }
}

// I, V and X alone: enough for kings, wars, chapters and centuries. 0: no numeral.
uint64_t roman_value(std::u32string_view word) {
  constexpr const char32_t* kOnes[] = {U"", U"I", U"II", U"III", U"IV", U"V", U"VI", U"VII", U"VIII", U"IX"};
  size_t tens = 0;
  while (tens < 3 && char_at(word, tens) == U'X') ++tens;
  for (uint64_t ones = 0; ones < 10; ++ones) {
    if (word.substr(tens) == kOnes[ones]) return 10 * tens + ones;
  }
  return 0;
}

class Speller {
 public:
  Speller(std::u32string text, const SpellingRules& rules) : text_(std::move(text)), rules_(rules) {
    shouts_ = std::none_of(text_.begin(), text_.end(), [](char32_t c) { return is_letter(c) && !is_upper(c); }) &&
              std::count_if(text_.begin(), text_.end(), is_upper) > 1 &&
              std::find_if(text_.begin(), text_.end(), is_white) != text_.end();
  }

  SpelledText run() {
    while (at_ < text_.size()) {
      if (number() || abbreviation() || letters_with_dots() || word() || symbol()) continue;
      mark();
      ++at_;
    }
    return {tidy_marks(out_, rules_), num_left_out_};
  }

 private:
  char32_t peek(size_t offset = 0) const { return char_at(text_, at_ + offset); }
  char32_t before(size_t at) const { return at == 0 ? 0 : text_[at - 1]; }
  bool starts_word() const { return !is_letter(before(at_)) && !is_digit(before(at_)); }
  bool starts_with(std::u32string_view what) const { return std::u32string_view(text_).substr(at_).starts_with(what); }

  // Whether a sentence can end at `at`: nothing follows, or white space and no lower-case word.
  bool sentence_may_end(size_t at) const {
    if (at >= text_.size() || text_[at] == U'\n') return true;
    return is_white(text_[at]) && is_upper(char_at(text_, at + 1));
  }

  // Words of ours, apart from what stands before them.
  void say(std::string_view words) {
    const bool joined = out_.empty() || out_.back() == '-' || out_.back() == '\'' || out_.back() == ' ';
    if (!joined) out_ += ' ';
    const size_t last = out_.find_last_not_of(" ,;:");
    const bool starts_sentence =
        last == out_.npos || std::string_view(".!?\n").find(out_[last]) != std::string_view::npos;
    const size_t first = out_.size();
    out_ += words;
    if (starts_sentence && out_[first] >= 'a' && out_[first] <= 'z')
      out_[first] = static_cast<char>(out_[first] - 'a' + 'A');
    apart_ = true;
  }
  // Text that was written so.
  void keep(std::string_view text) {
    if (apart_) out_ += ' ';
    apart_ = false;
    out_ += text;
  }
  void punctuate(char mark) {
    apart_ = false;
    out_ += mark;
  }

  bool number() {
    const bool starts = !is_letter(before(at_)) && !is_digit(before(at_));
    const bool minus =
        (peek() == U'-' || peek() == 0x2212) && (at_ == 0 || is_white(before(at_)) || before(at_) == U'(');
    const size_t sign = minus ? 1 : 0;
    const Currency* currency = currency_before(text_, at_ + sign, rules_);
    if (!currency && !is_digit(peek(sign))) return false;
    if (!starts && minus) return false;
    if (minus) say(rules_.minus);
    at_ += sign + (currency ? 1 : 0);
    say(spell_number(text_, at_, currency, rules_));
    return true;
  }

  bool abbreviation() {
    if (!starts_word()) return false;
    if (starts_with(rules_.before_number)) {
      const size_t end = rules_.before_number.size();
      const size_t digit = is_blank(peek(end)) ? end + 1 : end;
      if (is_digit(peek(digit))) {
        say(rules_.number_word);
        at_ += digit;
        return true;
      }
    }
    for (const Words& entry : rules_.abbreviations) {
      const size_t size = entry.written.size();
      const bool has_dot = entry.written.back() == U'.';
      if (!starts_with(entry.written) ||
          (!has_dot && (is_letter(peek(size)) || is_digit(peek(size)) || peek(size) == U'.')))
        continue;
      say(entry.spoken);
      at_ += size;
      const bool is_title = is_upper(entry.written[0]);
      if (has_dot && (is_title ? at_ >= text_.size() : sentence_may_end(at_))) punctuate('.');
      return true;
    }
    return false;
  }

  // U.S.A., a.m.: at least two letters with their dots.
  bool letters_with_dots() {
    if (!starts_word()) return false;
    size_t end = at_;
    while (is_letter(char_at(text_, end)) && char_at(text_, end + 1) == U'.') end += 2;
    if (end < at_ + 4 || is_letter(char_at(text_, end))) return false;
    for (; at_ < end; at_ += 2) say_letter(text_[at_]);
    if (sentence_may_end(at_)) punctuate('.');
    return true;
  }

  void say_letter(char32_t letter) {
    const std::string plain = fold(to_lower(letter), rules_);
    const bool has_name = plain.size() == 1 && plain[0] >= 'a' && plain[0] <= 'z';
    say(has_name ? rules_.letters[static_cast<size_t>(plain[0] - 'a')] : plain.c_str());
  }

  bool word() {
    if (!is_letter(peek())) return false;
    size_t end = at_;
    while (is_letter(char_at(text_, end))) ++end;
    const std::u32string_view word = std::u32string_view(text_).substr(at_, end - at_);
    const bool elided = is_apostrophe(before(at_)) || is_apostrophe(char_at(text_, end));
    const bool linked = is_hyphen(before(at_)) && is_hyphen(char_at(text_, end));  // "va-t-il"
    if (word.size() == 1 && !elided && !linked) {
      single_letter(word[0], end);
    } else if (!roman(word) && !capitals(word)) {
      keep_word(word);
    }
    at_ = std::max(at_, end);
    capital_before_ = is_upper(word[0]);
    return true;
  }

  void single_letter(char32_t letter, size_t end) {
    if (fold(letter, rules_).empty()) {
      ++num_left_out_;
      return punctuate(' ');
    }
    const bool is_word = rules_.one_letter_words.find(to_lower(letter)) != rules_.one_letter_words.npos;
    const bool goes_on =
        is_blank(char_at(text_, end)) && is_letter(char_at(text_, end + 1)) && !is_upper(char_at(text_, end + 1));
    if (is_word && (!is_upper(letter) || goes_on || letter == U'I')) return keep_word(std::u32string_view(&letter, 1));
    say_letter(letter);
    // The dot of an initial ends no sentence: "John F. Kennedy".
    const bool initial = is_upper(letter) && capital_before_ && char_at(text_, end) == U'.' &&
                         is_blank(char_at(text_, end + 1)) && is_upper(char_at(text_, end + 2));
    if (initial) at_ = end + 1;
  }

  // XIV, XIXe
  bool roman(std::u32string_view word) {
    if (word.size() < 2 || !is_upper(word[1])) return false;
    if (const uint64_t value = roman_value(word)) return say(rules_.cardinal(value, Gender::masculine)), true;
    for (const OrdinalEnding& ending : rules_.ordinal_endings) {
      if (!word.ends_with(ending.written)) continue;
      const uint64_t value = roman_value(word.substr(0, word.size() - ending.written.size()));
      if (value > 0) return say(rules_.ordinal(value, ending.gender)), true;
    }
    return false;
  }

  bool capitals(std::u32string_view word) {
    const bool plural = word.size() > 2 && word.back() == U's';  // CDs
    const std::u32string_view stem = plural ? word.substr(0, word.size() - 1) : word;
    if (stem.size() < 2 || !std::all_of(stem.begin(), stem.end(), is_upper)) return false;
    const bool has_vowel = stem.find_first_of(U"AEIOUY\u00C0\u00C2\u00C9\u00C8\u00CA\u00CE\u00D4\u00DB") != stem.npos;
    if (shouts_ || (stem.size() > 4 && has_vowel)) {
      std::u32string lower(word);
      std::transform(lower.begin() + 1, lower.end(), lower.begin() + 1, to_lower);
      keep_word(lower);
      return true;
    }
    for (const char32_t letter : stem) say_letter(letter);
    if (plural) out_ += 's';
    return true;
  }

  void keep_word(std::u32string_view word) {
    std::string text;
    for (const char32_t letter : word) {
      const std::string folded = fold(letter, rules_);
      if (folded.empty()) ++num_left_out_;
      text += folded;
    }
    if (!text.empty()) keep(text);
  }

  bool symbol() {
    for (const Words& entry : rules_.symbols) {
      if (peek() != entry.written[0]) continue;
      say(entry.spoken);
      ++at_;
      return true;
    }
    const bool in_name = (is_letter(before(at_)) || is_digit(before(at_))) && is_letter(peek(1)) && !is_upper(peek(1));
    if (peek() != U'.' || !in_name) return false;
    say(rules_.dot);  // kazeia.org
    ++at_;
    return true;
  }

  void white_space() {
    int num_lines = 0;
    for (; is_white(peek()); ++at_) num_lines += peek() == U'\n' ? 1 : 0;
    --at_;
    punctuate(num_lines > 1 ? '\n' : ' ');
  }

  // One character that is no word.
  void mark() {
    const char32_t c = peek();
    const bool between_letters = is_letter(before(at_)) && is_letter(peek(1));
    if (is_white(c)) return white_space();
    if (is_apostrophe(c)) {
      if (between_letters) punctuate('\'');
      return;
    }
    if (is_hyphen(c) && between_letters) return punctuate('-');
    const bool is_dash =
        c == 0x2013 || c == 0x2014 || c == 0x2015 || (is_hyphen(c) && (is_hyphen(peek(1)) || is_white(peek(1))));
    const bool is_bracket = std::u32string_view(U"()[]{}").find(c) != std::u32string_view::npos;
    if (is_dash || is_bracket || (c == U';' && rules_.space_before_marks)) return punctuate(',');
    if (c == 0x2026) return (void)(out_ += "..");
    if (c < 0x80 && std::string_view(",;:.!?").find(static_cast<char>(c)) != std::string_view::npos)
      return punctuate(static_cast<char>(c));
    if (class_of(c) == CharClass::number) ++num_left_out_;
    punctuate(' ');
  }

  const std::u32string text_;
  const SpellingRules& rules_;
  bool shouts_ = false;         // nothing but capitals: they mean nothing
  bool capital_before_ = true;  // the last word began with one
  bool apart_ = false;          // the last words are ours: a space before what follows
  size_t at_ = 0;
  std::string out_;
  int num_left_out_ = 0;
};

}  // namespace

bool is_letter(char32_t c) { return class_of(c) == CharClass::letter; }

bool is_upper(char32_t c) { return (c >= U'A' && c <= U'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || c == 0x152; }

char32_t to_lower(char32_t c) {
  if (!is_upper(c)) return c;
  return c == 0x152 ? 0x153 : c + 0x20;
}

const SpellingRules* spelling_rules(std::string_view language) {
  if (language == "english") return &kEnglishSpelling;
  if (language == "french") return &kFrenchSpelling;
  return nullptr;
}

SpelledText spell_out(std::string_view text, const SpellingRules& rules) {
  return Speller(decode_utf8(normalize_nfc(text)), rules).run();
}

}  // namespace kazeia
