// Codes through a codec decoder, some frames at a time.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "stages/codec/decoder.h"

namespace kazeia::test {

// codes: [frames, num_groups]; feeds `chunk` frames at a time.
inline std::vector<float> decode(CodecDecoder& decoder, std::span<const int32_t> codes, int num_groups, int chunk) {
  std::vector<float> samples;
  const size_t step = static_cast<size_t>(chunk * num_groups);
  decoder.reset();
  for (size_t i = 0; i < codes.size(); i += step) {
    const Status status = decoder.push(codes.subspan(i, std::min(step, codes.size() - i)), samples);
    EXPECT_TRUE(status) << status.error().message;
  }
  return samples;
}

}  // namespace kazeia::test
