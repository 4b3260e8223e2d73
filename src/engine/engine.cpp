// Engine: one text after the other through the whole flow.
#include "kazeia/engine.h"

#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <random>

#include "compute/placement.h"
#include "engine/audio_stream.h"
#include "engine/default_placement.h"
#include "engine/generation_loop.h"
#include "engine/model.h"
#include "engine/placement_report.h"
#include "engine/request.h"
#include "engine/stopwatch.h"
#include "engine/trace.h"
#include "kernels/self_test.h"

namespace kazeia {
namespace {

int64_t peak_rss_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

ModelInfo describe(const ModelConfig& config, int num_threads, const Kernels& kernels, double load_seconds) {
  ModelInfo info{.name = config.name,
                 .type = model_type_name(config.type),
                 .size = config.size,
                 .license = config.license,
                 .source = config.source,
                 .description = config.description,
                 .sample_rate_hz = config.codec.sample_rate_hz,
                 .samples_per_frame = config.codec.samples_per_frame(),
                 .num_code_groups = config.talker.num_code_groups,
                 .num_threads = num_threads,
                 .kernels = kernels.isa,
                 .load_seconds = load_seconds,
                 .voices = {},
                 .languages = {}};
  for (const Speaker& speaker : config.speakers)
    info.voices.push_back({speaker.name, speaker.language, speaker.dialect});
  for (const Language& language : config.languages) info.languages.push_back(language.name);
  return info;
}

void add_audio(Report& report, const AudioStream& audio, const CodecDecoder& codec, int sample_rate_hz) {
  report.num_samples = audio.num_samples();
  report.audio_seconds = static_cast<double>(report.num_samples) / sample_rate_hz;
  report.first_audio_ms = audio.first_audio_ms();
  const CodecTimes times = codec.times();
  report.times.quantizer_ms = times.quantizer_ms;
  report.times.pre_conv_ms = times.pre_conv_ms;
  report.times.pre_transformer_ms = times.pre_transformer_ms;
  report.times.upsample_ms = times.upsample_ms;
  report.times.wave_ms = times.wave_ms;
  report.peak_rss_bytes = peak_rss_bytes();
}

class EngineImpl final : public Engine {
 public:
  EngineImpl(std::unique_ptr<Model> model, int num_threads, double load_seconds)
      : model_(std::move(model)), info_(describe(model_->file.config, num_threads, *model_->kernels, load_seconds)) {}

  const ModelInfo& info() const override { return info_; }
  Result<Report> synthesize(const Request& request, const AudioSink& sink) override;
  Result<Report> decode(std::span<const int32_t> codes, const AudioSink& sink) override;
  Result<Trace> trace(const Request& request, std::span<const int32_t> codes) override;
  std::vector<int32_t> tokenize(const std::string& text) const override { return model_->tokenizer.encode(text).ids; }

 private:
  Status say_pieces(const PreparedRequest& prepared, const Request& request, AudioStream& audio, Report& report);

  std::mutex calls_;  // one at a time: the stages keep state while they run
  std::unique_ptr<Model> model_;
  ModelInfo info_;
};

// One piece after the other into one stream. A piece that does not end by itself does not take the others with it, but
// its reason is the run's.
Status EngineImpl::say_pieces(const PreparedRequest& prepared, const Request& request, AudioStream& audio,
                              Report& report) {
  report.finish_reason = FinishReason::eos;
  const auto on_frame = [&](std::span<const int32_t> frame) -> Result<std::optional<FinishReason>> {
    report.codes.insert(report.codes.end(), frame.begin(), frame.end());
    KZ_RETURN_IF_ERROR(audio.push(frame));
    return audio.ended();
  };
  for (const PreparedPiece& piece : prepared.pieces) {
    const int frames_left = request.max_frames > 0 ? request.max_frames - report.num_frames : piece.max_frames;
    if (frames_left <= 0) {
      report.finish_reason = FinishReason::length;
      return ok();
    }
    audio.next_piece();
    const GenerationOptions options{.talker = prepared.talker,
                                    .code_predictor = prepared.code_predictor,
                                    .seed = report.seed,
                                    .first_frame = report.num_frames,
                                    .max_frames = std::min(piece.max_frames, frames_left),
                                    .stop = request.stop};
    KZ_TRY(const GenerationResult made, generate(*model_, piece.prompt, options, on_frame));
    report.pieces.push_back({piece.text, made.num_frames, made.finish_reason});
    report.prompt_rows += static_cast<int>(piece.prompt.rows.size());
    report.prompt_rows_kept += made.num_rows_kept;
    report.num_frames += made.num_frames;
    report.times.prefill_ms += made.prefill_ms;
    report.times.talker_ms += made.talker_ms;
    report.times.code_predictor_ms += made.code_predictor_ms;
    report.times.sampling_ms += made.sampling_ms;
    if (report.finish_reason == FinishReason::eos) report.finish_reason = made.finish_reason;
    if (made.finish_reason == FinishReason::cancelled) {
      report.finish_reason = FinishReason::cancelled;
      return ok();
    }
  }
  return ok();
}

Result<Report> EngineImpl::synthesize(const Request& request, const AudioSink& sink) {
  const auto call_start = Stopwatch::Clock::now();
  const std::lock_guard lock(calls_);
  Stopwatch total;
  Stopwatch watch;
  KZ_RETURN_IF_ERROR(model_->leave_failed_devices());
  const PlacementWatch placement(*model_);
  Report report;
  KZ_TRY(const PreparedRequest prepared, prepare(*model_, request));
  report.seed = request.seed ? *request.seed : (uint64_t{std::random_device{}()} << 32 | std::random_device{}());
  report.voice = prepared.voice;
  report.language = prepared.language;
  report.notes = prepared.notes;
  report.times.tokenize_ms = watch.lap();
  if (prepared.pieces.empty()) {
    report.finish_reason = FinishReason::empty;
    report.peak_rss_bytes = peak_rss_bytes();
    return report;
  }

  const CodecConfig& codec = model_->file.config.codec;
  AudioStream audio(*model_->codec, codec, sink, request.silence_limit_ms, call_start);
  KZ_RETURN_IF_ERROR(say_pieces(prepared, request, audio, report));
  // Who cancels waits for no more than what is being computed: frames that have no samples yet are not heard.
  if (report.finish_reason != FinishReason::cancelled) {
    KZ_RETURN_IF_ERROR(audio.flush());
  }
  if (audio.ended() == FinishReason::cancelled) report.finish_reason = FinishReason::cancelled;
  add_audio(report, audio, *model_->codec, codec.sample_rate_hz);
  report.placement = placement.report(*model_);
  report.wall_seconds = total.lap() / 1000;
  return report;
}

Result<Report> EngineImpl::decode(std::span<const int32_t> codes, const AudioSink& sink) {
  const auto call_start = Stopwatch::Clock::now();
  const std::lock_guard lock(calls_);
  Stopwatch total;
  KZ_RETURN_IF_ERROR(model_->leave_failed_devices());
  const PlacementWatch placement(*model_);
  const ModelConfig& config = model_->file.config;
  const auto num_groups = static_cast<size_t>(config.talker.num_code_groups);
  if (codes.size() % num_groups != 0) {
    return Error{ErrorCode::invalid_argument, "codes: expected [frames, " + std::to_string(num_groups) + "], found " +
                                                  std::to_string(codes.size()) + " values"};
  }
  Report report;
  AudioStream audio(*model_->codec, config.codec, sink, /*silence_limit_ms=*/0, call_start);
  report.finish_reason = codes.empty() ? FinishReason::empty : FinishReason::eos;
  for (size_t at = 0; at < codes.size() && !audio.ended(); at += num_groups) {
    KZ_RETURN_IF_ERROR(audio.push(codes.subspan(at, num_groups)));
    ++report.num_frames;
  }
  KZ_RETURN_IF_ERROR(audio.flush());
  if (audio.ended()) report.finish_reason = *audio.ended();
  const auto spoken = codes.first(static_cast<size_t>(report.num_frames) * num_groups);
  report.codes.assign(spoken.begin(), spoken.end());
  add_audio(report, audio, *model_->codec, config.codec.sample_rate_hz);
  report.placement = placement.report(*model_);
  report.wall_seconds = total.lap() / 1000;
  return report;
}

Result<Trace> EngineImpl::trace(const Request& request, std::span<const int32_t> codes) {
  const std::lock_guard lock(calls_);
  KZ_RETURN_IF_ERROR(model_->leave_failed_devices());
  return run_trace(*model_, request, codes);
}

}  // namespace

const char* finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::eos: return "eos";
    case FinishReason::length: return "length";
    case FinishReason::silence: return "silence";
    case FinishReason::cancelled: return "cancelled";
    case FinishReason::empty: return "empty";
  }
  return "empty";
}

namespace {

// Like the best one, a table that was asked for has to agree with the scalar one.
Result<const Kernels*> chosen_kernels(const std::string& name) {
  if (name.empty()) return &kernels();
  const Kernels* table = find_kernels(name);
  if (!table) {
    std::string usable;
    for (const Kernels* other : usable_kernels()) usable += (usable.empty() ? "" : ", ") + std::string(other->isa);
    return Error{ErrorCode::invalid_argument, "kernels: this processor can run " + usable + "; found '" + name + "'"};
  }
  const std::string fault = find_kernel_fault(*table);
  if (fault.empty()) return table;
  return Error{ErrorCode::unsupported, "kernels: " + name + " compute something else than the scalar ones: " + fault};
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::load(const EngineOptions& options) {
  Stopwatch watch;
  KZ_TRY(const Kernels* table, chosen_kernels(options.kernels));
  std::vector<LentBackend> lent;
  for (const LentBackendOptions& backend : options.backends)
    lent.push_back({backend.name, static_cast<ggml_backend*>(backend.ggml_backend)});
  KZ_TRY(ModelFile file, open_model_or_random(options.model));
  const int num_threads = options.num_threads == 0 ? default_num_threads(file) : options.num_threads;
  const std::string spec = options.placement.empty()
                               ? cheapest_placement(file.config, *file.tensors, num_threads, list_devices()).spec
                               : options.placement;
  KZ_TRY(const Placement placement, Placement::parse(spec, num_threads, lent));
  KZ_TRY(std::unique_ptr<Model> model, Model::create(std::move(file), placement, table));
  return std::unique_ptr<Engine>(std::make_unique<EngineImpl>(std::move(model), num_threads, watch.lap() / 1000));
}

}  // namespace kazeia
