// A long text as pieces that a model can say one after the other (TextPreparation::max_sentence_codepoints).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kazeia {

// Cuts at the ends of sentences and at blank lines; sentences of more than `max_codepoints` also at commas, semicolons,
// colons and dashes, where those don't suffice at spaces, and words longer than that anywhere. A sentence that has to
// be cut is cut into parts of similar length. Together the pieces hold every character of the text but the white space
// at the cuts and the comma, semicolon, colon or dash that a cut replaces. Pieces without anything to speak are left
// out. max_codepoints: 1 or more.
std::vector<std::string> split_pieces(std::string_view text, int max_codepoints);

}  // namespace kazeia
