// The talker: reads the prompt, then gives the scores of one semantic code a frame.
// Source: Qwen3TTSTalkerForConditionalGeneration.forward (modeling_qwen3_tts.py:1636).
#pragma once
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "flow/prompt.h"
#include "flow/talker_output.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"
#include "nn/layer_stack.h"
#include "stages/code_embeddings.h"

namespace kazeia {

// Not thread-safe. `embeddings` must outlive it.
class Talker {
 public:
  static Result<std::unique_ptr<Talker>> create(const TalkerConfig& config, std::shared_ptr<const TensorSource> source,
                                                std::shared_ptr<Device> device, const CodeEmbeddings& embeddings);
  virtual ~Talker() = default;

  // Forgets what came before, reads the prompt and scores the first frame's code. A stop ends it with
  // ErrorCode::cancelled. Rows with which the prompt before began too are not computed again where the stack can keep
  // them: prompts of one voice begin alike. That changes no bit.
  virtual Status begin(const Prompt& prompt, TalkerOutput& out, const std::stop_token& stop = {}) = 0;
  // How many rows the last begin() has kept.
  virtual int num_rows_kept() const = 0;

  // Hears a finished frame [K] together with the text that goes with it, and scores the next frame's code.
  virtual Status step(std::span<const int32_t> frame, TalkerOutput& out) = 0;

  // The rows that begin() feeds to the first layer: [rows, H].
  virtual Result<std::vector<float>> embed_prompt(const Prompt& prompt) = 0;

  // Called after each run with every layer's output [rows, H] and the final norm's; for comparing with the official
  // code. With it, begin() computes all rows.
  using LayerProbe = std::function<void(int layer, std::span<const float> values)>;
  virtual void set_probe(LayerProbe probe) = 0;
};

}  // namespace kazeia
