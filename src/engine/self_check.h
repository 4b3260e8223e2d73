// Whether a part on a device says what the CPU says: asked once at start, on a tiny input with given codes.
#pragma once
#include "formats/model_config.h"
#include "stages/code_predictor/code_predictor.h"
#include "stages/codec/decoder.h"
#include "stages/talker/talker.h"

namespace kazeia {

// More than any rounding to f16 or of quantised activations makes (docs/devices.md has the figures), far less than what
// a wrong kernel makes.
inline constexpr double kMaxSelfCheckDifference = 0.1;

// Each runs both and returns |placed - reference| / |reference| over all scores or samples, and leaves both reset.
Result<double> compare_talkers(const TalkerConfig& config, Talker& placed, Talker& reference);
Result<double> compare_code_predictors(const ModelConfig& config, CodePredictor& placed, CodePredictor& reference);
Result<double> compare_codecs(const CodecConfig& config, CodecDecoder& placed, CodecDecoder& reference);

}  // namespace kazeia
