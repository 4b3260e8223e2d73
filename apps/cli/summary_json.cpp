// The JSON reports of say and decode.
#include <nlohmann/json.hpp>

#include "cli/placement_json.h"
#include "cli/summary.h"

namespace kazeia {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }
Json or_null(int value) { return value == 0 ? Json(nullptr) : Json(value); }

Json to_json(const SamplingRequest& sampling) {
  return {{"sample", or_null(sampling.sample)},
          {"temperature", or_null(sampling.temperature)},
          {"top_k", or_null(sampling.top_k)},
          {"top_p", or_null(sampling.top_p)},
          {"repetition_penalty", or_null(sampling.repetition_penalty)}};
}

Json to_json(const StageTimes& times) {
  return {{"tokenize", times.tokenize_ms},
          {"prefill", times.prefill_ms},
          {"talker", times.talker_ms},
          {"code_predictor", times.code_predictor_ms},
          {"sampling", times.sampling_ms},
          {"codec", times.codec_ms()},
          {"codec_quantizer", times.quantizer_ms},
          {"codec_pre_conv", times.pre_conv_ms},
          {"codec_pre_transformer", times.pre_transformer_ms},
          {"codec_upsample", times.upsample_ms},
          {"codec_wave", times.wave_ms}};
}

Json to_json(const ModelInfo& info, const EngineOptions& engine) {
  return {{"path", engine.model},
          {"name", or_null(info.name)},
          {"type", info.type},
          {"size", info.size},
          {"sample_rate_hz", info.sample_rate_hz},
          {"samples_per_frame", info.samples_per_frame},
          {"num_code_groups", info.num_code_groups},
          {"num_threads", info.num_threads},
          {"kernels", info.kernels},
          {"load_seconds", info.load_seconds}};
}

// Codes as one row for each frame.
Json codes_json(const Report& report, int num_code_groups) {
  Json rows = Json::array();
  const auto width = static_cast<size_t>(num_code_groups);
  for (size_t at = 0; width > 0 && at + width <= report.codes.size(); at += width) {
    rows.push_back(std::vector<int32_t>(report.codes.begin() + static_cast<std::ptrdiff_t>(at),
                                        report.codes.begin() + static_cast<std::ptrdiff_t>(at + width)));
  }
  return rows;
}

Json pieces_json(const Report& report) {
  Json pieces = Json::array();
  for (const SpokenPiece& piece : report.pieces) {
    pieces.push_back({{"text", piece.text},
                      {"num_frames", piece.num_frames},
                      {"finish_reason", finish_reason_name(piece.finish_reason)}});
  }
  return pieces;
}

Json result_json(const Report& report) {
  return {{"num_frames", report.num_frames},
          {"num_samples", report.num_samples},
          {"audio_seconds", report.audio_seconds},
          {"wall_seconds", report.wall_seconds},
          {"real_time_factor", report.real_time_factor()},
          {"first_audio_ms", report.first_audio_ms},
          {"peak_rss_bytes", report.peak_rss_bytes},
          {"times_ms", to_json(report.times)},
          {"placement", placement_json(report)}};
}

std::string dump(const Json& json) {
  return json.dump(/*indent=*/2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

Json engine_json(const EngineOptions& engine) {
  return {{"threads", or_null(engine.num_threads)},
          {"placement", or_null(engine.placement)},
          {"kernels", or_null(engine.kernels)}};
}

const char* feed_name(Feed feed) { return feed == Feed::full ? "full" : "streaming"; }

}  // namespace

std::string say_report_json(const SayOptions& options, const EngineOptions& engine, const Request& request,
                            const ModelInfo& info, const Report& report) {
  Json settings = engine_json(engine);
  settings.update(
      {{"text", request.text},
       {"voice", or_null(request.voice)},
       {"language", or_null(request.language)},
       {"instruct", or_null(request.instruct)},
       {"text_feed", request.text_feed == Feed::model_default ? Json(nullptr) : Json(feed_name(request.text_feed))},
       {"seed", or_null(request.seed)},
       {"talker", to_json(request.talker)},
       {"code_predictor", to_json(request.code_predictor)},
       {"max_frames", or_null(request.max_frames)},
       {"silence_limit_ms", request.silence_limit_ms},
       {"output", options.audio.path}});
  Json result = {{"finish_reason", finish_reason_name(report.finish_reason)},
                 {"seed", report.seed},
                 {"voice", or_null(report.voice)},
                 {"language", or_null(report.language)},
                 {"prompt_rows", report.prompt_rows},
                 {"prompt_rows_kept", report.prompt_rows_kept},
                 {"notes", report.notes},
                 {"pieces", pieces_json(report)}};
  result.update(result_json(report));
  return dump({{"model", to_json(info, engine)},
               {"settings", settings},
               {"result", result},
               {"codes", codes_json(report, info.num_code_groups)}});
}

std::string decode_report_json(const DecodeOptions& options, const EngineOptions& engine, const ModelInfo& info,
                               const Report& report) {
  Json settings = engine_json(engine);
  settings.update({{"codes", options.codes_path}, {"output", options.audio.path}});
  return dump({{"model", to_json(info, engine)}, {"settings", settings}, {"result", result_json(report)}});
}

}  // namespace kazeia
