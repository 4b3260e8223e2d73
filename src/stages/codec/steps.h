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

// Where a half runs and how its graphs are made.
struct HalfPlace {
  std::shared_ptr<Device> device;
  CodecLowering lowering;
  int64_t max_matmul_rows;  // of the `device` lowering; 0: no limit
};

// From the summed codebook rows [T, codebooks_width] to samples. max_chunk_frames: the most frames of one run.
//
// In the `device` lowering each half is one part, because every graph call costs: one call for both halves on the same
// device, two on different ones. Else each layer group of CodecDecoder::StageProbe is a part.
Result<std::vector<Step>> make_steps(const CodecConfig& config, const CodecWeights& weights, const HalfPlace& front,
                                     const HalfPlace& wave, int64_t codebooks_width, int max_chunk_frames);

}  // namespace kazeia::codec
