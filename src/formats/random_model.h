// Configs of models without a file: the published sizes, and tiny ones for tests.
#pragma once
#include <optional>
#include <string_view>

#include "formats/model_config.h"

namespace kazeia {

// name: "0.6b", "1.7b": the published sizes, with their speakers and languages.
//       "tiny": 4 code groups of 512, talker width 64; "tiny16": 16 groups of 2,048; "tiny-mtp": tiny with a code
//       predictor of another width than the talker. All three give 1,920 samples a frame and use byte_tokenizer().
std::optional<ModelConfig> random_model_config(std::string_view name);

}  // namespace kazeia
