#include "formats/model_config.h"

#include <cmath>
#include <set>

#include "formats/config_fields.h"

namespace kazeia {
namespace {

// Keeps the first problem only: later ones are often its consequences.
class Validator {
 public:
  explicit Validator(const std::string& path) : path_(path) {}

  void operator()(const Field& field, int value) { check_range(field, field.key, value); }
  void operator()(const Field& field, float value) { check_range(field, field.key, static_cast<double>(value)); }
  void operator()(const Field&, bool) {}
  void operator()(const Field& field, const std::vector<int>& values) {
    expect(!values.empty() && values.size() <= kMaxUpsampleStages, field.key,
           "1 to " + std::to_string(kMaxUpsampleStages) + " entries", std::to_string(values.size()));
    for (size_t i = 0; i < values.size(); ++i) check_range(field, field.key + "[" + std::to_string(i) + "]", values[i]);
  }

  void expect(bool holds, const std::string& key, const std::string& expected, const std::string& found) {
    if (holds || !status_) return;
    status_ = Error{ErrorCode::bad_model, path_ + ": " + key + ": expected " + expected + ", found " + found};
  }

  void expect_equal(const std::string& key, int value, const std::string& other_key, int other) {
    expect(value == other, key, std::to_string(other) + " (" + other_key + ")", std::to_string(value));
  }

  void expect_id(const std::string& key, int32_t id, int vocab_size) {
    expect(id >= 0 && id < vocab_size, key, "an id below " + std::to_string(vocab_size), std::to_string(id));
  }

  bool good() const { return static_cast<bool>(status_); }
  Status status() && { return std::move(status_); }

 private:
  void check_range(const Field& field, const std::string& key, double value) {
    expect(value >= field.min && value <= field.max, key, range_text(field), number_text(value));
  }

  const std::string& path_;
  Status status_ = ok();
};

void check_stack(Validator& v, const std::string& prefix, const LayerStackConfig& stack) {
  v.expect(stack.num_heads % stack.num_kv_heads == 0, prefix + "num_heads",
           "a multiple of num_kv_heads = " + std::to_string(stack.num_kv_heads), std::to_string(stack.num_heads));
  v.expect(stack.head_size % 2 == 0, prefix + "head_size", "an even number", std::to_string(stack.head_size));
}

void check_ids(Validator& v, const ModelConfig& c) {
  const int vocab = c.talker.vocab_size;
  v.expect_id("talker.codec_bos_id", c.talker.codec_bos_id, vocab);
  v.expect_id("talker.codec_eos_id", c.talker.codec_eos_id, vocab);
  v.expect_id("talker.codec_pad_id", c.talker.codec_pad_id, vocab);
  v.expect_id("talker.codec_think_id", c.talker.codec_think_id, vocab);
  v.expect_id("talker.codec_nothink_id", c.talker.codec_nothink_id, vocab);
  v.expect_id("talker.codec_think_bos_id", c.talker.codec_think_bos_id, vocab);
  v.expect_id("talker.codec_think_eos_id", c.talker.codec_think_eos_id, vocab);
  const int text_vocab = c.talker.text_vocab_size;
  v.expect_id("prompt.tts_bos_id", c.prompt.tts_bos, text_vocab);
  v.expect_id("prompt.tts_eos_id", c.prompt.tts_eos, text_vocab);
  v.expect_id("prompt.tts_pad_id", c.prompt.tts_pad, text_vocab);
  v.expect_id("prompt.im_start_id", c.prompt.im_start, text_vocab);
  v.expect_id("prompt.im_end_id", c.prompt.im_end, text_vocab);
  v.expect_id("prompt.assistant_id", c.prompt.assistant, text_vocab);
}

void check_codec(Validator& v, const CodecConfig& codec) {
  v.expect(codec.codebook_dim % 2 == 0, "codec.codebook_dim", "an even number", std::to_string(codec.codebook_dim));
  int64_t samples = 1;
  for (const int factor : codec.upsampling_ratios) samples *= factor;
  for (const int factor : codec.upsample_rates) samples *= factor;
  v.expect(samples <= kMaxSamplesPerFrame, "codec.upsample_rates",
           "at most " + std::to_string(kMaxSamplesPerFrame) + " samples a frame", std::to_string(samples));
  const int halvings = 1 << codec.upsample_rates.size();
  v.expect(codec.decoder_dim % halvings == 0, "codec.decoder_dim",
           "a multiple of " + std::to_string(halvings) + " (halved by each of upsample_rates)",
           std::to_string(codec.decoder_dim));
}

void check_sampling(Validator& v, const std::string& prefix, const SamplingDefaults& sampling) {
  v.expect(!sampling.do_sample || sampling.temperature > 0, prefix + "temperature",
           "more than 0 when do_sample is true", number_text(static_cast<double>(sampling.temperature)));
}

// Everything that the talker emits must be an entry of the codec: ids below vocab_size - 1,024 aren't suppressed.
void check_vocabularies(Validator& v, const ModelConfig& c) {
  v.expect_equal("codec.num_quantizers", c.codec.num_quantizers, "talker.num_code_groups", c.talker.num_code_groups);
  v.expect_equal("code_predictor.vocab_size", c.code_predictor.vocab_size, "codec.codebook_size",
                 c.codec.codebook_size);
  const int max_vocab = c.codec.codebook_size + kNumControlIds;
  v.expect(c.talker.vocab_size <= max_vocab, "talker.vocab_size",
           "at most " + std::to_string(max_vocab) + " (codec.codebook_size and 1,024 control ids)",
           std::to_string(c.talker.vocab_size));
}

void check_names(Validator& v, const ModelConfig& c) {
  std::set<std::string> languages;
  for (const Language& language : c.languages) {
    v.expect(languages.insert(language.name).second, "languages", "each name once", "\"" + language.name + "\" again");
    v.expect_id("languages: " + language.name, language.codec_id, c.talker.vocab_size);
  }
  std::set<std::string> speakers;
  for (const Speaker& speaker : c.speakers) {
    v.expect(speakers.insert(speaker.name).second, "speakers", "each name once", "\"" + speaker.name + "\" again");
    v.expect_id("speakers: " + speaker.name, speaker.codec_id, c.talker.vocab_size);
    for (const std::string& language : {speaker.dialect, speaker.language}) {
      v.expect(language.empty() || languages.count(language) > 0, "speakers: " + speaker.name,
               "a language of the model", "\"" + language + "\"");
    }
  }
}

}  // namespace

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<int64_t>(value));
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

std::string range_text(const Field& field) { return number_text(field.min) + " to " + number_text(field.max); }

const char* model_type_name(ModelType type) {
  switch (type) {
    case ModelType::custom_voice: return "custom_voice";
    case ModelType::voice_design: return "voice_design";
    case ModelType::base: return "base";
  }
  return "";
}

std::optional<ModelType> parse_model_type(std::string_view name) {
  for (const ModelType type : {ModelType::custom_voice, ModelType::voice_design, ModelType::base}) {
    if (name == model_type_name(type)) return type;
  }
  return std::nullopt;
}

const char* text_feed_name(TextFeed feed) { return feed == TextFeed::full ? "full" : "streaming"; }

std::optional<TextFeed> parse_text_feed(std::string_view name) {
  if (name == "full") return TextFeed::full;
  if (name == "streaming") return TextFeed::streaming;
  return std::nullopt;
}

int CodecConfig::samples_per_frame() const {
  int samples = 1;
  for (const int factor : upsampling_ratios) samples *= factor;
  for (const int factor : upsample_rates) samples *= factor;
  return samples;
}

Status validate(const ModelConfig& config, const std::string& path) {
  Validator v(path);
  visit_fields(config, v);
  if (!v.good()) return std::move(v).status();  // what follows divides by these fields
  check_stack(v, "talker.", config.talker.stack);
  check_stack(v, "code_predictor.", config.code_predictor.stack);
  check_stack(v, "codec.pre_transformer.", config.codec.pre_transformer);
  check_codec(v, config.codec);
  check_vocabularies(v, config);
  check_ids(v, config);
  check_names(v, config);
  check_sampling(v, "talker.sampling.", config.talker_sampling);
  check_sampling(v, "code_predictor.sampling.", config.code_predictor_sampling);
  return std::move(v).status();
}

}  // namespace kazeia
