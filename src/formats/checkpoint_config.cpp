// The three JSON files of an official checkpoint become a ModelConfig.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/mapped_file.h"
#include "formats/config_fields.h"
#include "formats/json_document.h"
#include "formats/model_config.h"

namespace kazeia {
namespace {

using nlohmann::json;

constexpr const char* kSpeakerLanguagesKey = "kazeia.speaker_languages";

// The defaults of the official classes for the keys that a file may leave out (configuration_qwen3_tts.py, classes
// Qwen3TTSConfig and Qwen3TTSTalker*Config; configuration_qwen3_tts_tokenizer_v2.py;
// inference/qwen3_tts_model.py:319-330).
ModelConfig official_defaults() {
  ModelConfig config;
  config.talker.stack = {.rms_norm_eps = 1e-6F, .rope_theta = 1e4F};
  config.code_predictor.stack = {.head_size = 128, .rms_norm_eps = 1e-6F, .rope_theta = 1e4F};
  config.codec.pre_transformer = {.rms_norm_eps = 1e-5F, .rope_theta = 1e4F};
  config.codec.sliding_window = 72;
  config.codec.sample_rate_hz = 24'000;
  config.prompt = {.tts_bos = 151672,
                   .tts_eos = 151673,
                   .tts_pad = 151671,
                   .im_start = 151644,
                   .im_end = 151645,
                   .assistant = 77091};
  return config;
}

// One JSON file, read by dotted path. The first problem stays; later calls do nothing.
class JsonReader {
 public:
  JsonReader(json document, std::string path) : document_(std::move(document)), path_(std::move(path)) {}

  void read(const Field& field, int& out) { read_number(field, out, /*integer=*/true); }
  void read(const Field& field, float& out) { read_number(field, out, /*integer=*/false); }

  void read(const Field& field, bool& out) {
    const json* value = find(field.official_key, field.need);
    if (!value) return;
    if (!value->is_boolean()) return fail(field.official_key, "true or false", describe(*value));
    out = value->get<bool>();
  }

  void read(const Field& field, std::vector<int>& out) {
    const json* value = find(field.official_key, field.need);
    if (!value) return;
    if (!value->is_array() || value->empty() || value->size() > kMaxUpsampleStages) {
      return fail(field.official_key, "a list of 1 to " + std::to_string(kMaxUpsampleStages) + " numbers",
                  value->is_array() ? "a list of " + std::to_string(value->size()) : describe(*value));
    }
    out.clear();
    for (const json& entry : *value) {
      if (!in_range(field, entry, /*integer=*/true)) return fail(field.official_key, number_in(field), describe(entry));
      out.push_back(entry.get<int>());
    }
  }

  // An absent or null key leaves `out` as it is.
  void read_text(const std::string& key, std::string& out) {
    const json* value = find(key, Need::has_default);
    if (!value) return;
    if (!value->is_string()) return fail(key, "a text", describe(*value));
    out = value->get<std::string>();
  }

  // A feature that the published models don't use and this engine doesn't have. Absent or null is fine.
  void expect_only(const std::string& key, const json& supported) {
    const json* value = find(key, Need::has_default);
    if (value && *value != supported) fail(key, describe(supported), describe(*value), ErrorCode::unsupported);
  }

  void expect(const std::string& key, const std::string& expected) {
    const json* value = find(key, Need::required);
    if (value && *value != expected) fail(key, "\"" + expected + "\"", describe(*value));
  }

  // Null if the key is absent or null; absent is an error if it is required.
  const json* find(const std::string& dotted_key, Need need) {
    if (!status_) return nullptr;
    const json* node = &document_;
    for (size_t begin = 0; begin <= dotted_key.size();) {
      const size_t end = std::min(dotted_key.find('.', begin), dotted_key.size());
      const std::string name = dotted_key.substr(begin, end - begin);
      if (!node->is_object() || !node->contains(name) || (*node)[name].is_null()) {
        if (need == Need::required) fail(dotted_key.substr(0, end), "a value", "none");
        return nullptr;
      }
      node = &(*node)[name];
      begin = end + 1;
    }
    return node;
  }

  void fail(const std::string& key, const std::string& expected, const std::string& found,
            ErrorCode code = ErrorCode::bad_model) {
    if (status_) status_ = Error{code, path_ + ": " + key + ": expected " + expected + ", found " + found};
  }

  const Status& status() const { return status_; }

 private:
  static bool in_range(const Field& field, const json& value, bool integer) {
    if (integer ? !value.is_number_integer() : !value.is_number()) return false;
    const double number = value.get<double>();
    return number >= field.min && number <= field.max;
  }

  static std::string number_in(const Field& field) { return "a number from " + range_text(field); }

  template <class Number>
  void read_number(const Field& field, Number& out, bool integer) {
    const json* value = find(field.official_key, field.need);
    if (!value) return;
    if (!in_range(field, *value, integer)) return fail(field.official_key, number_in(field), describe(*value));
    out = value->get<Number>();
  }

  json document_;
  std::string path_;
  Status status_ = ok();
};

struct CheckpointJson {
  JsonReader config, generation, codec;

  template <class T>
  void operator()(const Field& field, T& out) {
    switch (field.file) {
      case ConfigFile::config: return config.read(field, out);
      case ConfigFile::generation: return generation.read(field, out);
      case ConfigFile::codec: return codec.read(field, out);
    }
  }

  Status status() const {
    for (const JsonReader* reader : {&config, &codec, &generation}) KZ_RETURN_IF_ERROR(Status(reader->status()));
    return ok();
  }
};

std::string ascii_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// {"name": id, ...}; the official code looks names up in lower case.
std::vector<std::pair<std::string, int32_t>> read_name_map(JsonReader& reader, const std::string& key) {
  std::vector<std::pair<std::string, int32_t>> names;
  const json* map = reader.find(key, Need::has_default);
  if (!map) return names;
  if (!map->is_object()) reader.fail(key, "an object", describe(*map));
  for (const auto& [name, id] : map->items()) {
    const bool is_id = id.is_number_integer() && id.get<double>() >= 0 && id.get<double>() < kMaxVocab;
    if (!is_id) {
      reader.fail(key + "." + name, "an id", describe(id));
      return names;
    }
    names.emplace_back(ascii_lower(name), id.get<int32_t>());
  }
  return names;
}

// The text that `key` maps this speaker to, or none. The official files say false for "none".
std::string speaker_text(JsonReader& reader, const std::string& key, const std::string& speaker) {
  const json* map = reader.find(key, Need::has_default);
  if (!map || !map->is_object()) return {};
  for (const auto& [name, value] : map->items()) {
    if (ascii_lower(name) != speaker || value.is_null() || value == false) continue;
    if (value.is_string()) return ascii_lower(value.get<std::string>());
    reader.fail(key + "." + name, "a language or false", describe(value));
  }
  return {};
}

void read_names(JsonReader& reader, ModelConfig& config) {
  for (auto& [name, id] : read_name_map(reader, "talker_config.codec_language_id"))
    config.languages.push_back({name, id});
  for (auto& [name, id] : read_name_map(reader, "talker_config.spk_id")) config.speakers.push_back({name, id, "", ""});
  for (Speaker& speaker : config.speakers) {
    speaker.dialect = speaker_text(reader, "talker_config.spk_is_dialect", speaker.name);
    speaker.language = speaker_text(reader, kSpeakerLanguagesKey, speaker.name);
  }
}

// Our own keys: a misspelt speaker would silently speak the wrong language.
void check_own_keys(JsonReader& reader, const ModelConfig& config) {
  const json* own = reader.find("kazeia", Need::has_default);
  if (own && !own->is_object()) return reader.fail("kazeia", "an object", describe(*own));
  const json* languages = reader.find(kSpeakerLanguagesKey, Need::has_default);
  if (!languages) return;
  if (!languages->is_object()) return reader.fail(kSpeakerLanguagesKey, "an object", describe(*languages));
  for (const auto& [name, language] : languages->items()) {
    const auto is_named = [&](const Speaker& speaker) { return speaker.name == ascii_lower(name); };
    if (std::any_of(config.speakers.begin(), config.speakers.end(), is_named)) continue;
    reader.fail(kSpeakerLanguagesKey, "names of spk_id", "\"" + name + "\"");
  }
}

void check_features(JsonReader& config, JsonReader& codec) {
  config.expect("model_type", "qwen3_tts");
  config.expect("tokenizer_type", "qwen3_tts_tokenizer_12hz");
  const std::string talker = "talker_config.", predictor = "talker_config.code_predictor_config.";
  for (const std::string& stack : {talker, predictor}) {
    config.expect_only(stack + "hidden_act", "silu");
    config.expect_only(stack + "attention_bias", false);
    config.expect_only(stack + "use_sliding_window", false);
    config.expect_only(stack + "rope_scaling.rope_type", "default");
    config.expect_only(stack + "rope_scaling.type", "default");
  }
  if (const json* layers = config.find(predictor + "layer_types", Need::has_default); layers && layers->is_array()) {
    for (const json& layer : *layers) {
      if (layer == "full_attention") continue;
      config.fail(predictor + "layer_types", "\"full_attention\"", describe(layer), ErrorCode::unsupported);
    }
  }
  codec.expect("model_type", "qwen3_tts_tokenizer_12hz");
  codec.expect_only("decoder_config.hidden_act", "silu");
  codec.expect_only("decoder_config.attention_bias", false);
}

// Facts that are stated twice must agree.
void check_repeated(CheckpointJson& files, const ModelConfig& model) {
  files.config.expect_only("talker_config.code_predictor_config.num_code_groups", model.talker.num_code_groups);
  files.codec.expect_only("decode_upsample_rate", model.codec.samples_per_frame());
}

// hidden_size / num_heads, as the attention classes do when head_dim is missing.
void fill_head_size(LayerStackConfig& stack) {
  if (stack.head_size == 0 && stack.num_heads > 0) stack.head_size = stack.hidden_size / stack.num_heads;
}

void read_kind(CheckpointJson& files, ModelConfig& model) {
  std::string type;
  files.config.read_text("tts_model_type", type);
  if (const auto parsed = parse_model_type(type)) {
    model.type = *parsed;
  } else {
    files.config.fail("tts_model_type", "custom_voice, voice_design or base",
                      type.empty() ? "none" : "\"" + type + "\"");
  }
  // generate_voice_clone streams the text by default, the two others don't (inference/qwen3_tts_model.py:478,642,738).
  bool full = model.type != ModelType::base;
  files.generation.read(Field{"", ConfigFile::generation, "non_streaming_mode", Need::has_default, 0, 1}, full);
  model.text_feed = full ? TextFeed::full : TextFeed::streaming;
}

void read_card(JsonReader& config, const std::string& folder, ModelConfig& model) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  model.name = (path.has_filename() ? path : path.parent_path()).filename().string();
  config.read_text("tts_model_size", model.size);
  config.read_text("kazeia.name", model.name);
  config.read_text("kazeia.license", model.license);
  config.read_text("kazeia.source", model.source);
  config.read_text("kazeia.description", model.description);
}

Result<json> parse_object(std::span<const std::byte> text, const std::string& path) {
  KZ_TRY(json document, parse_json(text, path));
  if (!document.is_object()) {
    return Error{ErrorCode::bad_model, path + ": expected an object, found " + describe(document)};
  }
  return document;
}

std::string config_path(const std::string& folder) { return folder + "/config.json"; }
std::string generation_path(const std::string& folder) { return folder + "/generation_config.json"; }
std::string codec_path(const std::string& folder) { return folder + "/speech_tokenizer/config.json"; }

}  // namespace

Result<ModelConfig> parse_checkpoint_config(const CheckpointConfigFiles& texts, const std::string& folder) {
  KZ_TRY(json config, parse_object(texts.config, config_path(folder)));
  KZ_TRY(json codec, parse_object(texts.codec, codec_path(folder)));
  json generation = json::object();
  if (!texts.generation.empty()) {
    KZ_TRY(generation, parse_object(texts.generation, generation_path(folder)));
  }
  CheckpointJson files{JsonReader(std::move(config), config_path(folder)),
                       JsonReader(std::move(generation), generation_path(folder)),
                       JsonReader(std::move(codec), codec_path(folder))};

  ModelConfig model = official_defaults();
  check_features(files.config, files.codec);
  read_kind(files, model);
  visit_fields(model, files);
  for (LayerStackConfig* stack : {&model.talker.stack, &model.code_predictor.stack, &model.codec.pre_transformer}) {
    fill_head_size(*stack);
  }
  read_names(files.config, model);
  check_own_keys(files.config, model);
  read_card(files.config, folder, model);
  KZ_RETURN_IF_ERROR(files.status());
  KZ_RETURN_IF_ERROR(validate(model, folder));
  check_repeated(files, model);
  KZ_RETURN_IF_ERROR(files.status());
  return model;
}

Result<ModelConfig> read_checkpoint_config(const std::string& folder) {
  KZ_TRY(const MappedFile config, MappedFile::open(config_path(folder)));
  KZ_TRY(const MappedFile codec, MappedFile::open(codec_path(folder)));
  CheckpointConfigFiles texts{.config = config.bytes(), .generation = {}, .codec = codec.bytes()};
  std::error_code unused;
  if (!std::filesystem::exists(generation_path(folder), unused)) return parse_checkpoint_config(texts, folder);
  KZ_TRY(const MappedFile generation, MappedFile::open(generation_path(folder)));
  texts.generation = generation.bytes();
  return parse_checkpoint_config(texts, folder);
}

}  // namespace kazeia
