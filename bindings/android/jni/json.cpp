#include "json.h"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace kazeia::jni {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHexDigits[byte >> 4];
      out += kHexDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

// std::to_chars, because the locale of a Java program may write a comma into a number.
std::string decimal(double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 3);
  return error == std::errc() ? std::string(digits, end) : "0";
}

// Members of an object or elements of an array, one after the other.
class JsonList {
 public:
  JsonList(char open, char close) : out_(1, open), close_(close) {}

  void element(const std::string& json) {
    if (out_.size() > 1) out_ += ',';
    out_ += json;
  }
  void member(std::string_view name, const std::string& json) { element(quoted(name) + ":" + json); }
  void text(std::string_view name, const char* value) { member(name, quoted(value == nullptr ? "" : value)); }
  void integer(std::string_view name, int64_t value) { member(name, std::to_string(value)); }
  void number(std::string_view name, double value) { member(name, decimal(value)); }
  std::string finish() { return out_ += close_; }

 private:
  std::string out_;
  char close_;
};

std::string lines_json(std::string_view lines) {
  JsonList list('[', ']');
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    list.element(quoted(lines.substr(0, end)));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return list.finish();
}

std::string voices_json(const kz_engine* engine, size_t num_voices) {
  JsonList voices('[', ']');
  for (size_t i = 0; i < num_voices; ++i) {
    kz_voice voice{};
    voice.size = sizeof voice;
    if (kz_engine_voice(engine, i, &voice) != KZ_OK) break;
    JsonList object('{', '}');
    object.text("name", voice.name);
    object.text("language", voice.language);
    object.text("dialect", voice.dialect);
    voices.element(object.finish());
  }
  return voices.finish();
}

}  // namespace

std::string report_json(const kz_report& report) {
  JsonList object('{', '}');
  object.text("finishReason", kz_finish_reason_name(report.finish_reason));
  object.integer("seed", static_cast<int64_t>(report.seed));  // the same bits as a Java long
  object.text("voice", report.voice);
  object.text("language", report.language);
  object.member("notes", lines_json(report.notes));
  object.integer("promptRows", report.prompt_rows);
  object.integer("numFrames", report.num_frames);
  object.integer("numSamples", report.num_samples);
  object.number("audioSeconds", report.audio_seconds);
  object.number("wallSeconds", report.wall_seconds);
  object.number("firstAudioMs", report.first_audio_ms);
  object.integer("peakRssBytes", report.peak_rss_bytes);
  object.number("tokenizeMs", report.tokenize_ms);
  object.number("prefillMs", report.prefill_ms);
  object.number("talkerMs", report.talker_ms);
  object.number("codePredictorMs", report.code_predictor_ms);
  object.number("samplingMs", report.sampling_ms);
  object.number("codecMs", report.codec_quantizer_ms + report.codec_pre_conv_ms + report.codec_pre_transformer_ms +
                               report.codec_upsample_ms + report.codec_wave_ms);
  return object.finish();
}

std::string info_json(const kz_engine* engine) {
  kz_model_info info{};
  info.size = sizeof info;
  if (kz_engine_info(engine, &info) != KZ_OK) return "";
  JsonList object('{', '}');
  object.text("version", kz_version());
  object.text("name", info.name);
  object.text("type", info.type);
  object.text("size", info.model_size);
  object.text("license", info.license);
  object.text("source", info.source);
  object.text("description", info.description);
  object.integer("sampleRateHz", info.sample_rate_hz);
  object.integer("samplesPerFrame", info.samples_per_frame);
  object.integer("numCodeGroups", info.num_code_groups);
  object.integer("numThreads", info.num_threads);
  object.number("loadSeconds", info.load_seconds);
  object.member("voices", voices_json(engine, info.num_voices));
  JsonList languages('[', ']');
  for (size_t i = 0; i < info.num_languages; ++i) {
    const char* language = kz_engine_language(engine, i);
    if (language != nullptr) languages.element(quoted(language));
  }
  object.member("languages", languages.finish());
  return object.finish();
}

}  // namespace kazeia::jni
