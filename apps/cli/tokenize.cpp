// kazeia tokenize: the ids of a text, as the official tokenizer gives them.
#include <filesystem>
#include <system_error>

#include "cli/commands.h"
#include "cli/inspect_model.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "formats/tokenizer_files.h"
#include "stages/text/text.h"

namespace kazeia {
namespace {

// Of a folder only the tokenizer's files are read: it need not be a whole model.
Result<Tokenizer> open_tokenizer(const std::string& model) {
  std::error_code ignored;
  if (std::filesystem::is_directory(model, ignored)) {
    KZ_TRY(const TokenizerData data, read_tokenizer_files(model));
    return Tokenizer::create(data);
  }
  KZ_TRY(const ModelFile file, open_any_model(model));
  return Tokenizer::create(file.tokenizer);
}

std::string id_line(const std::vector<int32_t>& ids) {
  std::string line;
  for (const int32_t id : ids) line += (line.empty() ? "" : " ") + std::to_string(id);
  return line + "\n";
}

// The bytes of a token inside quotes, what can't be shown as \xNN.
std::string quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto value = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') text += '\\';
    if (value < 0x20 || value == 0x7F || value >= 0x80) {
      text += format_text("\\x%02x", value);
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string token_lines(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::vector<std::vector<std::string>> rows;
  for (const int32_t id : ids) rows.push_back({std::to_string(id), quoted(tokenizer.bytes_of(id))});
  return table(rows, {Align::right});
}

}  // namespace

Status run(const TokenizeOptions& options) {
  std::string text = options.text;
  if (text == "-") {
    KZ_TRY(text, read_text("-"));
  }
  KZ_TRY(const std::string model, resolve_model(options.model.model));
  KZ_TRY(const Tokenizer tokenizer, open_tokenizer(model));
  const std::vector<int32_t> ids = tokenizer.encode(text).ids;
  print_out(options.with_tokens ? token_lines(tokenizer, ids) : id_line(ids));
  return ok();
}

}  // namespace kazeia
