// The character classes of the split pattern.
#include "stages/text/internal.h"
#include "stages/text/unicode_tables.h"

namespace kazeia {
namespace {

// \s of Unicode without \r and \n.
constexpr bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || c == '\t' || c == '\v' || c == '\f';
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace

CharClass class_of(char32_t c) {
  if (c == '\n' || c == '\r') return CharClass::newline;
  if (is_space(c)) return CharClass::space;
  if (c < 0x80) {
    const char32_t lower = c | 0x20;
    if (lower >= 'a' && lower <= 'z') return CharClass::letter;
    return c >= '0' && c <= '9' ? CharClass::number : CharClass::other;
  }
  if (find_range(letter_ranges(), c)) return CharClass::letter;
  return find_range(number_ranges(), c) ? CharClass::number : CharClass::other;
}

}  // namespace kazeia
