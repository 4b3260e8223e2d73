// The wave decoder on the CPU's own kernels, without graphs: all threads walk through a part's convolutions together.
// The same meaning as wave_decoder.cpp, which is its oracle.
#pragma once
#include <memory>
#include <vector>

#include "compute/device.h"
#include "stages/codec/internal.h"
#include "stages/codec/part.h"

namespace kazeia::codec {

// One part for each of wave_conv, wave_block_0.., wave_output. The weights' convolutions must be fused ones.
// max_chunk_frames: the most frames of one run.
Result<std::vector<std::unique_ptr<Part>>> make_fused_wave(const CodecConfig& config, const CodecWeights& weights,
                                                           const std::shared_ptr<Device>& device, int max_chunk_frames);

}  // namespace kazeia::codec
