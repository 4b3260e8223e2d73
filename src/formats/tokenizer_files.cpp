// Reads the official tokenizer files. Source of their meaning: class Qwen2Tokenizer of the Python package transformers.
#include "formats/tokenizer_files.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/mapped_file.h"
#include "formats/json_document.h"

namespace kazeia {
namespace {

using nlohmann::json;

constexpr int64_t kMaxIds = 1 << 22;  // Qwen has 151,676; more than this is a broken file

constexpr const char* kVocabName = "vocab.json";
constexpr const char* kMergesName = "merges.txt";
constexpr const char* kConfigName = "tokenizer_config.json";

Error bad_file(std::string_view file, const std::string& what) {
  return {ErrorCode::bad_model, std::string(file) + ": " + what};
}

// What a value is, for messages.
std::string describe_found(const json& object, json::const_iterator value) {
  return value == object.end() ? "none" : describe(*value);
}

Result<json> parse_object(const char* file, std::string_view text) {
  KZ_TRY(json parsed, parse_json(std::as_bytes(std::span(text)), file));
  if (!parsed.is_object()) return bad_file(file, "expected a JSON object, found " + describe(parsed));
  return parsed;
}

struct TokenId {
  std::string token;
  int64_t id;
};

// Takes {"token": id, ...} as it is parsed: as a tree, 150,000 tokens would take several times as long.
class VocabularyReader : public nlohmann::json_sax<json> {
 public:
  std::vector<TokenId> tokens;
  std::string problem = "not valid JSON";

  bool start_object(size_t) override { return depth_++ == 0 || reject("object"); }
  bool key(std::string& token) override {
    tokens.push_back({std::move(token), -1});
    return true;
  }
  bool number_unsigned(json::number_unsigned_t id) override {
    return take(id <= INT64_MAX ? static_cast<int64_t>(id) : -1);
  }
  bool number_integer(json::number_integer_t id) override { return take(id); }
  bool end_object() override { return true; }

  bool null() override { return reject("null"); }
  bool boolean(bool) override { return reject("boolean"); }
  bool number_float(json::number_float_t, const std::string& text) override { return reject(text); }
  bool string(std::string& text) override { return reject("\"" + text.substr(0, 80) + "\""); }
  bool binary(json::binary_t&) override { return reject("binary"); }
  bool start_array(size_t) override { return reject("array"); }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    problem = "not valid JSON at byte " + std::to_string(position);
    return false;
  }

 private:
  bool take(int64_t id) {
    if (tokens.empty()) return reject("number");
    tokens.back().id = id;
    return true;
  }
  bool reject(const std::string& found) {
    problem = tokens.empty() ? "expected a JSON object, found " + found
                             : "token \"" + tokens.back().token + "\": expected an id, found " + found;
    return false;
  }

  int depth_ = 0;
};

Result<std::vector<std::string>> parse_vocabulary(std::string_view text) {
  VocabularyReader reader;
  if (!json::sax_parse(text, &reader)) return bad_file(kVocabName, reader.problem);
  const auto num_tokens = static_cast<int64_t>(reader.tokens.size());
  if (num_tokens == 0 || num_tokens > kMaxIds) {
    return bad_file(kVocabName,
                    "expected 1 to " + std::to_string(kMaxIds) + " tokens, found " + std::to_string(num_tokens));
  }
  std::vector<std::string> tokens(reader.tokens.size());
  for (auto& [token, id] : reader.tokens) {
    if (token.empty()) return bad_file(kVocabName, "found an empty token");
    if (id < 0 || id >= num_tokens) {
      return bad_file(kVocabName, "token \"" + token + "\": expected an id in 0.." + std::to_string(num_tokens - 1) +
                                      ", found " + std::to_string(id));
    }
    std::string& slot = tokens[static_cast<size_t>(id)];
    if (!slot.empty()) {
      return bad_file(kVocabName,
                      "tokens \"" + slot + "\" and \"" + token + "\" have the same id " + std::to_string(id));
    }
    slot = std::move(token);
  }
  return tokens;
}

// "left right", one space, two words.
bool is_merge(std::string_view line) {
  const size_t space = line.find(' ');
  return space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
         line.find(' ', space + 1) == line.npos;
}

// Every line counts but the first if it is "#version...": many merges begin with a '#' of their own.
Result<std::vector<std::string>> parse_merges(std::string_view text) {
  std::vector<std::string> merges;
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    const size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (line_number == 1 && line.starts_with("#version"))) continue;
    if (!is_merge(line)) {
      return bad_file(kMergesName, "line " + std::to_string(line_number) +
                                       ": expected two tokens with a space between, found \"" +
                                       std::string(line.substr(0, 80)) + "\"");
    }
    merges.emplace_back(line);
  }
  return merges;
}

Result<AddedToken> parse_added_token(const std::string& key, const json& value) {
  AddedToken token;
  const char* end = key.data() + key.size();
  const auto [stop, error] = std::from_chars(key.data(), end, token.id);
  if (error != std::errc() || stop != end || token.id < 0 || token.id >= kMaxIds) {
    return bad_file(kConfigName, "added_tokens_decoder: expected an id in 0.." + std::to_string(kMaxIds - 1) +
                                     ", found \"" + key + "\"");
  }
  const auto content = value.is_object() ? value.find("content") : value.end();
  if (content == value.end() || !content->is_string() || content->get_ref<const std::string&>().empty()) {
    return bad_file(kConfigName,
                    "added_tokens_decoder." + key + ".content: expected text, found " + describe_found(value, content));
  }
  token.text = content->get<std::string>();
  return token;
}

Result<std::vector<AddedToken>> parse_added_tokens(std::string_view text) {
  KZ_TRY(const json config, parse_object(kConfigName, text));
  const auto decoder = config.find("added_tokens_decoder");
  if (decoder == config.end() || !decoder->is_object()) {
    return bad_file(kConfigName, "added_tokens_decoder: expected an object, found " + describe_found(config, decoder));
  }
  std::vector<AddedToken> added;
  for (const auto& [key, value] : decoder->items()) {
    KZ_TRY(AddedToken token, parse_added_token(key, value));
    added.push_back(std::move(token));
  }
  std::sort(added.begin(), added.end(), [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  return added;
}

}  // namespace

Result<TokenizerData> parse_tokenizer_files(const TokenizerFiles& files) {
  TokenizerData data;
  KZ_TRY(data.tokens, parse_vocabulary(files.vocab_json));
  KZ_TRY(data.merges, parse_merges(files.merges_txt));
  KZ_TRY(data.added, parse_added_tokens(files.tokenizer_config_json));
  return data;
}

Result<TokenizerData> read_tokenizer_files(const std::string& folder) {
  KZ_TRY(const MappedFile vocab, MappedFile::open(folder + "/" + kVocabName));
  KZ_TRY(const MappedFile merges, MappedFile::open(folder + "/" + kMergesName));
  KZ_TRY(const MappedFile config, MappedFile::open(folder + "/" + kConfigName));
  const auto text = [](const MappedFile& file) {
    return std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  };
  auto data = parse_tokenizer_files({text(vocab), text(merges), text(config)});
  if (!data) return Error{data.error().code, folder + "/" + data.error().message};
  return data;
}

}  // namespace kazeia
