// The codec on the CPU's own kernels against the graphs that are their oracle, at full size: what tiles of convolutions
// cost in exactness grows with the number of channels.
// links: kazeia_stage_codec kazeia_formats
// processors: 2
#include <gtest/gtest.h>

#include <cstdio>

#include "formats/model_file.h"
#include "support/decode.h"
#include "support/differences.h"
#include "support/toy_codec.h"

namespace kazeia {
namespace {

// 12 convolutions by tiles with an error of 7e-6 each (kernels/winograd.h), all of it passed on: 2.4e-5.
constexpr double kMinSignalToNoiseDb = 92.0;

TEST(CodecFused, TheFullSizeDecoderGivesTheSamplesOfThePortableOne) {
  const auto model = make_random_model("0.6b:f32", /*seed=*/1);
  ASSERT_TRUE(model) << model.error().message;
  const CodecConfig& config = model->config.codec;
  constexpr int kFrames = 3;
  std::mt19937 random(5);
  const auto codes = test::random_codes(kFrames * config.num_quantizers, config.codebook_size, random);
  const auto samples = [&](CodecLowering lowering) {
    const auto decoder = *CodecDecoder::create(config, model->tensors, *Device::cpu(2), lowering);
    return test::decode(*decoder, codes, config.num_quantizers, kFrames);
  };
  const double found = test::signal_to_noise_db(samples(CodecLowering::fused), samples(CodecLowering::portable));
  std::printf("  fused samples against portable ones: %.1f dB\n", found);
  EXPECT_GE(found, kMinSignalToNoiseDb);
}

}  // namespace
}  // namespace kazeia
