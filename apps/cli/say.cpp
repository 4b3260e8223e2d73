// kazeia say: a text into audio.
#include <algorithm>
#include <cmath>

#include "cli/codes_file.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "formats/atomic_file.h"

namespace kazeia {
namespace {

Result<std::string> text_of(const SayOptions& options) {
  if (!options.text_file.empty()) return read_text(options.text_file);
  if (options.text == "-") return read_text("-");
  return options.text;
}

SamplingRequest sampling_of(const ChainOptions& chain, bool greedy) {
  SamplingRequest sampling;
  if (greedy) sampling.sample = false;
  sampling.temperature = chain.temperature;
  sampling.top_k = chain.top_k;
  sampling.top_p = chain.top_p;
  return sampling;
}

// The tighter of --max-frames and --max-seconds; 0: neither is given.
int max_frames(const SayOptions& options, const ModelInfo& info) {
  if (options.max_seconds <= 0 || info.samples_per_frame <= 0) return options.max_frames;
  const double frames = std::ceil(options.max_seconds * info.sample_rate_hz / info.samples_per_frame - 1e-9);
  const int from_seconds = static_cast<int>(std::clamp(frames, 1.0, 1e9));
  return options.max_frames == 0 ? from_seconds : std::min(options.max_frames, from_seconds);
}

Request request_of(const SayOptions& options, const std::string& text, const ModelInfo& info) {
  Request request = to_request(options.speech, text);
  request.seed = options.seed;
  request.talker = sampling_of(options.talker, options.greedy);
  request.talker.repetition_penalty = options.repetition_penalty;
  request.code_predictor = sampling_of(options.code_predictor, options.greedy);
  request.max_frames = max_frames(options, info);
  if (options.silence_limit_ms) request.silence_limit_ms = *options.silence_limit_ms;
  return request;
}

// What would only fail at the end is asked before the work.
Status check_side_files(const SayOptions& options) {
  for (const std::string& path : {options.report_path, options.codes_path}) {
    if (!path.empty()) KZ_RETURN_IF_ERROR(check_writable(path));
  }
  return ok();
}

}  // namespace

Status run(const SayOptions& options) {
  KZ_TRY(const std::string text, text_of(options));
  KZ_TRY(const AudioOutput output, plan_audio_output(options.audio));
  KZ_RETURN_IF_ERROR(check_side_files(options));

  KZ_TRY(const EngineOptions engine_settings, engine_options(options.model));
  KZ_TRY(const std::unique_ptr<Engine> engine, Engine::load(engine_settings));
  const ModelInfo& info = engine->info();
  const Request request = request_of(options, text, info);
  KZ_TRY(const Report report, write_audio(output, info.sample_rate_hz, /*total_seconds=*/0,
                                          [&](const AudioSink& sink) { return engine->synthesize(request, sink); }));

  if (!options.codes_path.empty()) {
    KZ_RETURN_IF_ERROR(write_codes(options.codes_path, report.codes, info.num_code_groups));
  }
  if (!options.report_path.empty()) {
    KZ_RETURN_IF_ERROR(
        write_file(options.report_path, say_report_json(options, engine_settings, request, info, report)));
  }
  if (read_environment().decoder_profile) std::fputs(codec_profile(report.times, report.num_frames).c_str(), stderr);
  for (const std::string& note : report.notes) print_note("note: " + note);
  const std::string warning = finish_warning(report);
  if (!warning.empty()) print_note(warning);
  std::fprintf(stderr, "%s\n", say_summary(report, options.audio.path).c_str());
  return ok();
}

}  // namespace kazeia
