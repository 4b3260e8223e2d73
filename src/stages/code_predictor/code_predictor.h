// The code predictor: from the talker's state and the semantic code to the whole frame, one code after the other.
// Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration.forward (modeling_qwen3_tts.py:1250).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "flow/codes.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"
#include "stages/code_embeddings.h"

namespace kazeia {

// How draw() makes a frame; both ways give the same codes.
enum class CodePredictorWay {
  automatic,     // `one_graph` on a device beside the CPU if it has all the operations, else `step_by_step`
  step_by_step,  // a call of the device for each code, draws on the CPU
  one_graph,     // one call for the whole frame; an Error if the device can't
};

// Not thread-safe. `embeddings` must outlive it.
class CodePredictor {
 public:
  static Result<std::unique_ptr<CodePredictor>> create(const ModelConfig& config,
                                                       std::shared_ptr<const TensorSource> source,
                                                       std::shared_ptr<Device> device, const CodeEmbeddings& embeddings,
                                                       CodePredictorWay way = CodePredictorWay::automatic);
  virtual ~CodePredictor() = default;

  // Chooses a code of `group` (1..K-1) from its scores [codebook size].
  using PickCode = std::function<int32_t(int group, std::span<const float> logits)>;

  // hidden: [H] from the talker. Fills the frame: code0, then what `pick` says for each group in turn.
  virtual Status predict(std::span<const float> hidden, int32_t code0, const PickCode& pick, CodeFrame& frame) = 0;

  // The same with the draws of Sampler by the keys {seed, frame_index, group}.
  virtual Status draw(std::span<const float> hidden, int32_t code0, const SamplingDefaults& options, uint64_t seed,
                      uint32_t frame_index, CodeFrame& frame) = 0;

  // Why the last draw() made a call of the device for each code, for reports; empty if it made one for the frame, and
  // on the CPU, where a call costs nothing.
  virtual const std::string& step_by_step_reason() const = 0;
};

}  // namespace kazeia
