#include "engine/generation_loop.h"

#include "engine/stopwatch.h"

namespace kazeia {
namespace {

// The last ids of the talker's vocabulary are control ids and never speech (modeling_qwen3_tts.py:2058).
constexpr int kNumControlIds = 1024;
// min_new_tokens (modeling_qwen3_tts.py:2045): speech ends after two frames at the earliest.
constexpr int kMinFrames = 2;

Error no_usable_score(int frame) {
  return Error{ErrorCode::bad_model, "talker: expected scores that are numbers, found none at frame " +
                                         std::to_string(frame) + ": the weights are damaged or overflow"};
}

}  // namespace

Result<GenerationResult> generate(Model& model, const Prompt& prompt, const GenerationOptions& options,
                                  const FrameSink& on_frame) {
  const TalkerConfig& config = model.file.config.talker;
  const auto num_groups = static_cast<size_t>(config.num_code_groups);
  GenerationResult result;
  Sampler sampler;
  TalkerOutput state;
  CodeFrame frame;
  std::vector<int32_t> said;  // semantic codes so far
  Stopwatch watch;

  if (options.stop.stop_requested()) {  // while the call waited for its turn
    result.finish_reason = FinishReason::cancelled;
    return result;
  }
  Status begun = model.talker->begin(prompt, state, options.stop);
  result.prefill_ms = watch.lap();
  if (!begun && begun.error().code == ErrorCode::cancelled) {
    result.finish_reason = FinishReason::cancelled;
    return result;
  }
  KZ_RETURN_IF_ERROR(std::move(begun));
  result.num_rows_kept = model.talker->num_rows_kept();
  for (;;) {
    const auto frame_index = static_cast<uint32_t>(options.first_frame + result.num_frames);
    const SamplingLimits limits{.suppress_from = config.vocab_size - kNumControlIds,
                                .end_id = config.codec_eos_id,
                                .end_allowed = result.num_frames >= kMinFrames,
                                .penalised = said};
    const int32_t code0 = sampler.draw(state.logits, options.talker, limits, {options.seed, frame_index, 0});
    if (sampler.nothing_left()) return no_usable_score(result.num_frames);
    result.sampling_ms += watch.lap();
    if (code0 == config.codec_eos_id) return result;  // finish reason: eos
    if (options.stop.stop_requested()) {
      result.finish_reason = FinishReason::cancelled;
      return result;
    }
    if (result.num_frames >= options.max_frames) {
      result.finish_reason = FinishReason::length;
      return result;
    }
    said.push_back(code0);

    KZ_RETURN_IF_ERROR(
        model.code_predictor->draw(state.hidden, code0, options.code_predictor, options.seed, frame_index, frame));
    ++result.num_frames;
    result.code_predictor_ms += watch.lap();

    const auto codes = std::span<const int32_t>(frame.codes).first(num_groups);
    KZ_TRY(const std::optional<FinishReason> ended, on_frame(codes));
    watch.lap();
    if (ended) {
      result.finish_reason = *ended;
      return result;
    }
    KZ_RETURN_IF_ERROR(model.talker->step(codes, state));
    result.talker_ms += watch.lap();
  }
}

}  // namespace kazeia
