#include "formats/gguf_model.h"

#include <cmath>

#include "formats/config_fields.h"

namespace kazeia {
namespace {

constexpr const char* kArchitecture = "qwen3-tts";
constexpr const char* kArchitectureKey = "general.architecture";
constexpr const char* kFormatVersionKey = "kazeia.format_version";
constexpr const char* kTypeKey = "qwen3-tts.type";
constexpr const char* kTextFeedKey = "qwen3-tts.text_feed";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";
constexpr const char* kMergesKey = "tokenizer.ggml.merges";
constexpr const char* kAddedIdsKey = "kazeia.tokenizer.added_ids";
constexpr const char* kAddedTextsKey = "kazeia.tokenizer.added_texts";
constexpr const char* kLanguageNamesKey = "qwen3-tts.languages.names";
constexpr const char* kLanguageIdsKey = "qwen3-tts.languages.codec_ids";
constexpr const char* kSpeakerNamesKey = "qwen3-tts.speakers.names";
constexpr const char* kSpeakerIdsKey = "qwen3-tts.speakers.codec_ids";
constexpr const char* kSpeakerDialectsKey = "qwen3-tts.speakers.dialects";
constexpr const char* kSpeakerLanguagesKey = "qwen3-tts.speakers.languages";

std::string field_key(const Field& field) { return std::string(kArchitecture) + "." + field.key; }

// Free texts: general keys of the container, a member of ModelConfig each.
struct TextField {
  const char* key;
  std::string ModelConfig::*member;
};
constexpr TextField kTextFields[] = {{"general.name", &ModelConfig::name},
                                     {"general.size_label", &ModelConfig::size},
                                     {"general.license", &ModelConfig::license},
                                     {"general.source.url", &ModelConfig::source},
                                     {"general.description", &ModelConfig::description}};

struct FieldWriter {
  GgufMetadata& metadata;

  void operator()(const Field& field, int value) { metadata.add(field_key(field), static_cast<uint32_t>(value)); }
  void operator()(const Field& field, float value) { metadata.add(field_key(field), value); }
  void operator()(const Field& field, bool value) { metadata.add(field_key(field), value); }
  void operator()(const Field& field, const std::vector<int>& values) {
    metadata.add(field_key(field), std::span<const int32_t>(values));
  }
};

// One member of every element of a list, as a list.
template <class T, class Member>
auto column(const std::vector<T>& rows, Member T::*member) {
  std::vector<Member> values;
  for (const T& row : rows) values.push_back(row.*member);
  return values;
}

// Typed access to the metadata. The first problem stays.
class MetadataReader {
 public:
  MetadataReader(const GgufContents& contents, const std::string& path) : contents_(contents), path_(path) {}

  void operator()(const Field& field, int& out) {
    const auto* value = get<int64_t>(field, "an integer");
    if (!value || !check_range(field, static_cast<double>(*value))) return;
    out = static_cast<int>(*value);
  }
  void operator()(const Field& field, float& out) {
    const auto* value = get<double>(field, "a float");
    if (value && check_range(field, *value)) out = static_cast<float>(*value);
  }
  void operator()(const Field& field, bool& out) {
    if (const auto* value = get<bool>(field, "a boolean")) out = *value;
  }
  void operator()(const Field& field, std::vector<int>& out) {
    const auto* values = get<std::vector<int64_t>>(field_key(field), "a list of integers");
    if (!values) return;
    if (values->size() > kMaxUpsampleStages) {
      return fail(field_key(field), "at most " + std::to_string(kMaxUpsampleStages) + " entries",
                  std::to_string(values->size()));
    }
    out.clear();
    for (const int64_t value : *values) {
      if (!check_range(field, static_cast<double>(value))) return;
      out.push_back(static_cast<int>(value));
    }
  }

  std::string text(const std::string& key) {
    const auto* value = get<std::string_view>(key, "a text");
    return value ? std::string(*value) : std::string();
  }

  std::vector<std::string> texts(const std::string& key) {
    const auto* values = get<std::vector<std::string_view>>(key, "a list of texts");
    return values ? std::vector<std::string>(values->begin(), values->end()) : std::vector<std::string>();
  }

  std::vector<int32_t> ids(const std::string& key) {
    std::vector<int32_t> result;
    const auto* values = get<std::vector<int64_t>>(key, "a list of ids");
    if (!values) return result;
    for (const int64_t value : *values) {
      if (value < 0 || value >= kMaxVocab) fail(key, "ids below " + std::to_string(kMaxVocab), std::to_string(value));
      result.push_back(static_cast<int32_t>(value));
    }
    return result;
  }

  void expect_integer(const std::string& key, int64_t expected) {
    const auto* value = get<int64_t>(key, "an integer");
    if (value && *value != expected) fail(key, std::to_string(expected), std::to_string(*value));
  }

  void expect_same_size(const std::string& key, size_t size, size_t expected) {
    if (size != expected) fail(key, std::to_string(expected) + " entries", std::to_string(size));
  }

  void fail(const std::string& key, const std::string& expected, const std::string& found) {
    if (status_)
      status_ = Error{ErrorCode::bad_model, path_ + ": " + key + ": expected " + expected + ", found " + found};
  }

  const Status& status() const { return status_; }

 private:
  template <class T>
  const T* get(const Field& field, const char* expected) {
    const std::string key = field_key(field);
    if (field.need == Need::optional && !contents_.metadata.contains(key)) return nullptr;
    return get<T>(key, expected);
  }

  template <class T>
  const T* get(const std::string& key, const char* expected) {
    const auto found = contents_.metadata.find(key);
    if (found == contents_.metadata.end()) {
      fail(key, expected, "no such key");
      return nullptr;
    }
    const T* value = std::get_if<T>(&found->second);
    if (!value) fail(key, expected, "another type");
    return value;
  }

  bool check_range(const Field& field, double value) {
    if (value >= field.min && value <= field.max) return true;
    fail(field_key(field), range_text(field), number_text(value));
    return false;
  }

  const GgufContents& contents_;
  const std::string& path_;
  Status status_ = ok();
};

void read_names(MetadataReader& reader, ModelConfig& config) {
  const auto language_names = reader.texts(kLanguageNamesKey);
  const auto language_ids = reader.ids(kLanguageIdsKey);
  const auto names = reader.texts(kSpeakerNamesKey);
  const auto ids = reader.ids(kSpeakerIdsKey);
  const auto dialects = reader.texts(kSpeakerDialectsKey);
  const auto languages = reader.texts(kSpeakerLanguagesKey);
  reader.expect_same_size(kLanguageIdsKey, language_ids.size(), language_names.size());
  reader.expect_same_size(kSpeakerIdsKey, ids.size(), names.size());
  reader.expect_same_size(kSpeakerDialectsKey, dialects.size(), names.size());
  reader.expect_same_size(kSpeakerLanguagesKey, languages.size(), names.size());
  if (!reader.status()) return;
  for (size_t i = 0; i < language_names.size(); ++i) config.languages.push_back({language_names[i], language_ids[i]});
  for (size_t i = 0; i < names.size(); ++i) config.speakers.push_back({names[i], ids[i], dialects[i], languages[i]});
}

}  // namespace

GgufMetadata make_gguf_metadata(const ModelConfig& config, const TokenizerData& tokenizer) {
  GgufMetadata metadata;
  metadata.add(kArchitectureKey, kArchitecture);
  metadata.add(kFormatVersionKey, static_cast<uint32_t>(kGgufFormatVersion));
  for (const TextField& field : kTextFields) metadata.add(field.key, std::string_view(config.*field.member));
  metadata.add(kTypeKey, model_type_name(config.type));
  metadata.add(kTextFeedKey, text_feed_name(config.text_feed));
  FieldWriter writer{metadata};
  visit_fields(config, writer);
  metadata.add(kLanguageNamesKey, column(config.languages, &Language::name));
  metadata.add(kLanguageIdsKey, column(config.languages, &Language::codec_id));
  metadata.add(kSpeakerNamesKey, column(config.speakers, &Speaker::name));
  metadata.add(kSpeakerIdsKey, column(config.speakers, &Speaker::codec_id));
  metadata.add(kSpeakerDialectsKey, column(config.speakers, &Speaker::dialect));
  metadata.add(kSpeakerLanguagesKey, column(config.speakers, &Speaker::language));
  metadata.add("tokenizer.ggml.model", "gpt2");  // the container's word for byte-level BPE
  metadata.add("tokenizer.ggml.pre", "qwen2");
  metadata.add(kTokensKey, tokenizer.tokens);
  metadata.add(kMergesKey, tokenizer.merges);
  metadata.add(kAddedIdsKey, column(tokenizer.added, &AddedToken::id));
  metadata.add(kAddedTextsKey, column(tokenizer.added, &AddedToken::text));
  return metadata;
}

Result<ModelConfig> read_gguf_config(const GgufContents& contents, const std::string& path) {
  MetadataReader reader(contents, path);
  if (const std::string architecture = reader.text(kArchitectureKey); architecture != kArchitecture) {
    reader.fail(kArchitectureKey, kArchitecture, "\"" + architecture + "\"");
  }
  reader.expect_integer(kFormatVersionKey, kGgufFormatVersion);
  ModelConfig config;
  for (const TextField& field : kTextFields) config.*field.member = reader.text(field.key);
  const std::string type = reader.text(kTypeKey), feed = reader.text(kTextFeedKey);
  const auto parsed_type = parse_model_type(type);
  const auto parsed_feed = parse_text_feed(feed);
  if (!parsed_type) reader.fail(kTypeKey, "custom_voice, voice_design or base", "\"" + type + "\"");
  if (!parsed_feed) reader.fail(kTextFeedKey, "full or streaming", "\"" + feed + "\"");
  config.type = parsed_type.value_or(ModelType::custom_voice);
  config.text_feed = parsed_feed.value_or(TextFeed::full);
  visit_fields(config, reader);
  read_names(reader, config);
  KZ_RETURN_IF_ERROR(Status(reader.status()));
  KZ_RETURN_IF_ERROR(validate(config, path));
  return config;
}

Result<TokenizerData> read_gguf_tokenizer(const GgufContents& contents, const std::string& path) {
  MetadataReader reader(contents, path);
  TokenizerData data;
  data.tokens = reader.texts(kTokensKey);
  data.merges = reader.texts(kMergesKey);
  const auto ids = reader.ids(kAddedIdsKey);
  const auto texts = reader.texts(kAddedTextsKey);
  reader.expect_same_size(kAddedTextsKey, texts.size(), ids.size());
  KZ_RETURN_IF_ERROR(Status(reader.status()));
  for (size_t i = 0; i < ids.size(); ++i) data.added.push_back({ids[i], texts[i]});
  return data;
}

}  // namespace kazeia
