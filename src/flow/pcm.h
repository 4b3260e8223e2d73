// PCM: mono samples in [-1, 1] at the model's rate.
#pragma once
#include <cstdint>
#include <vector>

namespace kazeia {

struct PcmChunk {
  std::vector<float> samples;
  int64_t first_sample = 0;  // position in the utterance
};

}  // namespace kazeia
