// The codec's decoder as a list of parts, in the order in which the signal passes them.
#pragma once
#include <memory>
#include <vector>

#include "stages/codec/decoder.h"
#include "stages/codec/internal.h"
#include "stages/codec/part.h"

namespace kazeia::codec {

struct Step {
  double CodecTimes::*time;  // what the part's time counts to
  std::unique_ptr<Part> part;
};

// From the summed codebook rows [T, codebooks_width] to samples. max_chunk_frames: the most frames of one run.
Result<std::vector<Step>> make_steps(const CodecConfig& config, const CodecWeights& weights,
                                     const std::shared_ptr<Device>& device, int64_t codebooks_width,
                                     int max_chunk_frames);

}  // namespace kazeia::codec
