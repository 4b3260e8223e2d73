// UTF-8 in and out. Source: Unicode 16.0, section 3.9, table 3-7 (well-formed byte sequences).
#include "stages/text/internal.h"

namespace kazeia {
namespace {

// What a lead byte promises: how many bytes follow, and which values the first of them may have.
struct Lead {
  int num_following;
  uint8_t lowest;
  uint8_t highest;
};

constexpr Lead lead_of(uint8_t byte) {
  if (byte < 0xC2 || byte > 0xF4) return {0, 0, 0};
  if (byte < 0xE0) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};  // else overlong
  if (byte == 0xED) return {2, 0x80, 0x9F};  // else a surrogate
  if (byte < 0xF0) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};  // else overlong
  if (byte == 0xF4) return {3, 0x80, 0x8F};  // else above U+10FFFF
  return {3, 0x80, 0xBF};
}

constexpr char to_char(char32_t value) { return static_cast<char>(static_cast<uint8_t>(value)); }

}  // namespace

Utf8Char read_utf8(std::string_view text, size_t at) {
  KZ_ASSERT(at < text.size());
  const auto first = static_cast<uint8_t>(text[at++]);
  if (first < 0x80) return {first, at};

  Lead lead = lead_of(first);
  if (lead.num_following == 0) return {kReplacementCharacter, at};
  char32_t codepoint = first & (0x3Fu >> lead.num_following);
  for (int i = 0; i < lead.num_following; ++i, ++at) {
    if (at == text.size()) return {kReplacementCharacter, at};
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte < lead.lowest || byte > lead.highest) return {kReplacementCharacter, at};
    codepoint = (codepoint << 6) | (byte & 0x3Fu);
    lead.lowest = 0x80;
    lead.highest = 0xBF;
  }
  return {codepoint, at};
}

void append_utf8(std::string& out, char32_t codepoint) {
  if (codepoint < 0x80) {
    out += to_char(codepoint);
    return;
  }
  if (codepoint < 0x800) {
    out += to_char(0xC0 | (codepoint >> 6));
  } else {
    if (codepoint < 0x10000) {
      out += to_char(0xE0 | (codepoint >> 12));
    } else {
      out += to_char(0xF0 | (codepoint >> 18));
      out += to_char(0x80 | ((codepoint >> 12) & 0x3F));
    }
    out += to_char(0x80 | ((codepoint >> 6) & 0x3F));
  }
  out += to_char(0x80 | (codepoint & 0x3F));
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = read_utf8(text, at);
    out += c.codepoint;
    at = c.end;
  }
  return out;
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

}  // namespace kazeia
