#include "formats/json_document.h"

#include <set>
#include <vector>

#include "base/mapped_file.h"

namespace kazeia {
namespace {

using nlohmann::json;

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxBytes = size_t{100} << 20;

// First pass over the text: the tree builder neither reports positions without exceptions nor notices a repeated key.
class Checker : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (levels_.back().insert(name).second) return true;
    problem_ = "key \"" + name + "\" appears twice in one object";
    return false;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    problem_ = "not valid JSON at byte " + std::to_string(position);
    return false;
  }

  const std::string& problem() const { return problem_; }

 private:
  bool enter() {
    levels_.emplace_back();
    if (levels_.size() <= kMaxDepth) return true;
    problem_ = "expected at most " + std::to_string(kMaxDepth) + " nested levels";
    return false;
  }
  bool leave() {
    levels_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> levels_;
  std::string problem_;
};

}  // namespace

Result<json> parse_json(std::span<const std::byte> text, const std::string& where) {
  if (text.size() > kMaxBytes) {
    return Error{ErrorCode::bad_model, where + ": expected at most " + std::to_string(kMaxBytes) + " bytes, found " +
                                           std::to_string(text.size())};
  }
  const char* begin = reinterpret_cast<const char*>(text.data());
  const char* end = begin + text.size();
  Checker checker;
  if (!json::sax_parse(begin, end, &checker)) return Error{ErrorCode::bad_model, where + ": " + checker.problem()};
  json document = json::parse(begin, end, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return Error{ErrorCode::bad_model, where + ": not valid JSON"};
  return document;
}

Result<json> read_json_file(const std::string& path) {
  KZ_TRY(const MappedFile file, MappedFile::open(path));
  return parse_json(file.bytes(), path);
}

std::string describe(const json& value) {
  if (value.is_string()) return "\"" + value.get<std::string>().substr(0, 80) + "\"";
  if (value.is_number() || value.is_boolean()) return value.dump();
  return value.type_name();
}

}  // namespace kazeia
