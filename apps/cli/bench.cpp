// kazeia bench: where the time of a frame goes, beside what this machine can do.
#include "cli/bench_peaks.h"
#include "cli/bench_report.h"
#include "cli/commands.h"
#include "cli/inspect_model.h"
#include "cli/machine.h"
#include "cli/session.h"
#include "cli/terminal.h"
#include "compute/device.h"
#include "formats/frame_cost.h"

namespace kazeia {
namespace {

// Another text than the measured one: as with a listener's second sentence, the prompts begin alike and differ then.
constexpr const char* kWarmUpText = "Something to warm up.";
constexpr int kWarmUpFrames = 3;

Request bench_request(const std::string& text, int num_frames) {
  Request request;
  request.text = text;
  request.seed = 1;
  request.talker.sample = false;
  request.code_predictor.sample = false;
  request.max_frames = num_frames;
  request.silence_limit_ms = 0;
  return request;
}

}  // namespace

Status run(const BenchOptions& options) {
  KZ_TRY(const EngineOptions engine_settings, engine_options(options.model));
  BenchResult result;
  result.model = engine_settings.model;
  {
    KZ_TRY(const std::unique_ptr<Engine> engine, Engine::load(engine_settings));
    result.info = engine->info();
    result.num_threads = result.info.num_threads;
    const auto ignore = [](std::span<const float>) { return SinkAnswer::proceed; };
    KZ_TRY(const Report warm_up, engine->synthesize(bench_request(kWarmUpText, kWarmUpFrames), ignore));
    (void)warm_up;
    KZ_TRY(result.report, engine->synthesize(bench_request(options.text, options.num_frames), ignore));
  }
  // After the run, so that the buffer does not count in its memory.
  KZ_TRY(const ModelFile file, open_any_model(engine_settings.model));
  result.cost = frame_cost(file.config, *file.tensors);
  result.machine = describe_machine();
  result.peaks =
      measure_peaks(result.num_threads, result.machine.last_level_cache_bytes, result.machine.free_memory_bytes);
  if (result.report.num_frames < options.num_frames) {
    print_note(format_text("warning: the run ended after %d of %d frames (%s)", result.report.num_frames,
                           options.num_frames, finish_reason_name(result.report.finish_reason)));
  }
  print_out(options.json ? bench_json(result) : bench_text(result));
  return ok();
}

}  // namespace kazeia
