// The chat template around a text: the only place where added tokens come from.
#include <array>

#include "stages/text/text.h"

namespace kazeia {
namespace {

struct TemplateIds {
  int32_t start;  // <|im_start|>
  int32_t end;    // <|im_end|>
};

Result<TemplateIds> template_ids(const Tokenizer& tokenizer) {
  TemplateIds ids{};
  for (const auto& [text, id] : {std::pair{"<|im_start|>", &ids.start}, std::pair{"<|im_end|>", &ids.end}}) {
    const std::optional<int32_t> found = tokenizer.id_of(text);
    if (!found)
      return Error{ErrorCode::bad_model, std::string("tokenizer: expected the added token ") + text + ", found none"};
    *id = *found;
  }
  return ids;
}

void append(std::vector<int32_t>& ids, const TextIds& more) { ids.insert(ids.end(), more.ids.begin(), more.ids.end()); }

// <|im_start|>{role}\n{text}<|im_end|>\n
TextIds turn(const Tokenizer& tokenizer, const TemplateIds& marks, std::string_view role, std::string_view text) {
  TextIds out;
  out.ids.push_back(marks.start);
  append(out.ids, tokenizer.encode(std::string(role) + "\n" + std::string(text)));
  out.ids.push_back(marks.end);
  append(out.ids, tokenizer.encode("\n"));
  return out;
}

}  // namespace

Result<TextIds> assistant_prompt(const Tokenizer& tokenizer, std::string_view text) {
  KZ_TRY(const TemplateIds marks, template_ids(tokenizer));
  TextIds out = turn(tokenizer, marks, "assistant", text);
  out.ids.push_back(marks.start);
  append(out.ids, tokenizer.encode("assistant\n"));
  return out;
}

Result<TextIds> instruct_prompt(const Tokenizer& tokenizer, std::string_view instruct) {
  KZ_TRY(const TemplateIds marks, template_ids(tokenizer));
  return turn(tokenizer, marks, "user", instruct);
}

}  // namespace kazeia
