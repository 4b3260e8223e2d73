// The code predictor: from the talker's state and the semantic code to the whole frame, one code after the other.
// Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration.forward (modeling_qwen3_tts.py:1250).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "flow/codes.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"
#include "stages/code_embeddings.h"

namespace kazeia {

// Not thread-safe. `embeddings` must outlive it.
class CodePredictor {
 public:
  static Result<std::unique_ptr<CodePredictor>> create(const ModelConfig& config,
                                                       std::shared_ptr<const TensorSource> source,
                                                       std::shared_ptr<Device> device,
                                                       const CodeEmbeddings& embeddings);
  virtual ~CodePredictor() = default;

  // Chooses a code of `group` (1..K-1) from its scores [codebook size].
  using PickCode = std::function<int32_t(int group, std::span<const float> logits)>;

  // hidden: [H] from the talker. Fills the frame: code0, then what `pick` says for each group in turn.
  virtual Status predict(std::span<const float> hidden, int32_t code0, const PickCode& pick, CodeFrame& frame) = 0;
};

}  // namespace kazeia
