// kazeia decode: codes into audio.
#include <cstdio>

#include "cli/codes_file.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "formats/atomic_file.h"

namespace kazeia {

Status run(const DecodeOptions& options) {
  KZ_TRY(const AudioOutput output, plan_audio_output(options.audio));
  if (!options.report_path.empty()) KZ_RETURN_IF_ERROR(check_writable(options.report_path));
  KZ_TRY(const EngineOptions engine_settings, engine_options(options.model));
  KZ_TRY(const std::unique_ptr<Engine> engine, Engine::load(engine_settings));
  const ModelInfo& info = engine->info();
  KZ_TRY(const std::vector<int32_t> codes, read_codes(options.codes_path, info.num_code_groups));

  const auto num_frames = static_cast<double>(codes.size()) / info.num_code_groups;
  const double total_seconds = num_frames * info.samples_per_frame / info.sample_rate_hz;
  KZ_TRY(const Report report, write_audio(output, info.sample_rate_hz, total_seconds,
                                          [&](const AudioSink& sink) { return engine->decode(codes, sink); }));

  if (!options.report_path.empty()) {
    KZ_RETURN_IF_ERROR(write_file(options.report_path, decode_report_json(options, engine_settings, info, report)));
  }
  if (read_environment().decoder_profile) std::fputs(codec_profile(report.times, report.num_frames).c_str(), stderr);
  std::fprintf(stderr, "%s\n", decode_summary(report, options.audio.path).c_str());
  return ok();
}

}  // namespace kazeia
