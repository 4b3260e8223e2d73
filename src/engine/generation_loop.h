// The 12.5 Hz loop: talker -> semantic code -> code predictor -> frame, until an end is found.
#pragma once
#include <functional>
#include <optional>

#include "engine/model.h"
#include "flow/prompt.h"
#include "kazeia/engine.h"
#include "sampling/sampling.h"

namespace kazeia {

struct GenerationOptions {
  SamplingDefaults talker, code_predictor;
  uint64_t seed = 0;
  int first_frame = 0;  // of this piece in the run: no two frames of a run draw alike
  int max_frames = 0;
  std::stop_token stop;
};

struct GenerationResult {
  FinishReason finish_reason = FinishReason::eos;
  int num_frames = 0;
  int num_rows_kept = 0;  // of the prompt
  double prefill_ms = 0, talker_ms = 0, code_predictor_ms = 0, sampling_ms = 0;
};

// Takes each frame [K] as soon as it is whole; answers why no further one is wanted, or nothing to go on.
using FrameSink = std::function<Result<std::optional<FinishReason>>(std::span<const int32_t> frame)>;

Result<GenerationResult> generate(Model& model, const Prompt& prompt, const GenerationOptions& options,
                                  const FrameSink& on_frame);

}  // namespace kazeia
