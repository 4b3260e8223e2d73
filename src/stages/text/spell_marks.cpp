// Punctuation of a text whose words are already spelt out.
#include <algorithm>

#include "stages/text/spelling.h"

namespace kazeia {
namespace {

// From the weakest to the strongest: where several marks meet, the strongest stays.
constexpr std::string_view kMarks = ",;:.!?";

bool is_mark(char c) { return kMarks.find(c) != std::string_view::npos; }

struct Gap {  // between two words
  char mark = 0;
  int num_points = 0;
  bool has_space = false, ends_paragraph = false;
};

Gap read_gap(std::string_view text, size_t& at) {
  Gap gap;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') gap.ends_paragraph = true;
    if (c == ' ') gap.has_space = true;
    if (c == '.') ++gap.num_points;
    if (is_mark(c) && (gap.mark == 0 || kMarks.find(c) > kMarks.find(gap.mark))) gap.mark = c;
    if (!is_mark(c) && c != ' ' && c != '\n') break;
  }
  return gap;
}

}  // namespace

std::string tidy_marks(std::string_view text, const SpellingRules& rules) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    Gap gap = read_gap(text, at);
    const bool at_end = at >= text.size();
    // Dots in the middle of a sentence are a pause.
    if (gap.mark == '.' && gap.num_points > 1 && !at_end && text[at] >= 'a' && text[at] <= 'z') gap.mark = ',';
    if (gap.mark != 0 && !out.empty()) {
      if (rules.space_before_marks && gap.mark != ',' && gap.mark != '.') out += ' ';
      out += gap.mark;
    }
    if (at_end) break;
    if (!out.empty() && gap.ends_paragraph) out += "\n\n";
    if (!out.empty() && !gap.ends_paragraph && (gap.has_space || gap.mark != 0)) out += ' ';
    while (at < text.size() && !is_mark(text[at]) && text[at] != ' ' && text[at] != '\n') out += text[at++];
  }
  return out;
}

}  // namespace kazeia
