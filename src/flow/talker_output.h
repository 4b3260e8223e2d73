// What the talker says at one step: the scores of the next semantic code, and the state the code predictor starts from.
#pragma once
#include <vector>

namespace kazeia {

struct TalkerOutput {
  std::vector<float> logits;  // [V] raw scores of codec_head, before any suppression
  std::vector<float> hidden;  // [H] after the final norm
};

}  // namespace kazeia
