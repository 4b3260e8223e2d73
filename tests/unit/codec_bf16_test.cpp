// The codec with its wave decoder in bf16: near the f32 samples, and the same whatever the chunks and threads. The
// arithmetic is that of the CPU's bf16 instructions, whether or not this CPU has them.
// links: kazeia_stage_codec kazeia_formats
// processors: 2
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "formats/model_file.h"
#include "kernels/kernels.h"
#include "support/decode.h"
#include "support/differences.h"
#include "support/toy_codec.h"

namespace kazeia {
namespace {

using test::decode;

// Rounding to 8 bits is off by 2^-9 of a value at most, 0.0016 of it as a mean square, and so is the sum of many
// products: 53 dB under it for weights and inputs together. 29 rounded convolutions follow each other; if each passed
// on all of its noise and no signal of its own, 38 dB would be left. Residual connections pass the signal by most of
// them, so that 40 dB leave room.
constexpr double kMinSignalToNoiseDb = 40.0;

std::unique_ptr<CodecDecoder> make_decoder(const CodecConfig& config, std::shared_ptr<const TensorSource> tensors,
                                           CodecLowering lowering, int num_threads = 1) {
  return *CodecDecoder::create(config, std::move(tensors), *Device::cpu(num_threads), lowering);
}

void expect_near_f32(const CodecConfig& config, const std::shared_ptr<const TensorSource>& tensors, int num_frames) {
  std::mt19937 random(5);
  const int num_groups = config.num_quantizers;
  const auto codes = test::random_codes(num_frames * num_groups, config.codebook_size, random);
  const auto exact = decode(*make_decoder(config, tensors, CodecLowering::fused), codes, num_groups, num_frames);
  const auto rounded = decode(*make_decoder(config, tensors, CodecLowering::fused_bf16), codes, num_groups, num_frames);
  EXPECT_NE(rounded, exact) << "nothing was rounded";
  const double found = test::signal_to_noise_db(rounded, exact);
  std::printf("  samples against f32: %.1f dB\n", found);
  EXPECT_GE(found, kMinSignalToNoiseDb);
}

TEST(CodecBf16, RandomModelsStayNearTheirF32Samples) {
  for (const auto& [size, num_frames] : {std::pair("tiny:q8_0", 40), std::pair("0.6b:q8_0", 3)}) {
    const auto model = make_random_model(size, /*seed=*/1);
    ASSERT_TRUE(model) << model.error().message;
    SCOPED_TRACE(size);
    expect_near_f32(model->config.codec, model->tensors, num_frames);
  }
}

TEST(CodecBf16, TheDefaultVoiceStaysNearItsF32Samples) {
  const std::string path = KAZEIA_SOURCE_DIR "/models/kazeia-voice.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the default voice is not there";
  const auto model = open_model(path);
  ASSERT_TRUE(model) << model.error().message;
  expect_near_f32(model->config.codec, model->tensors, /*num_frames=*/40);
}

TEST(CodecBf16, ChunksAndThreadsMakeNoDifferenceToASingleBit) {
  const CodecConfig config = test::toy_codec_config();
  const auto tensors = test::toy_codec(config, /*seed=*/3, DType::f16);
  std::mt19937 random(4);
  const auto codes = test::random_codes(9 * config.num_quantizers, config.codebook_size, random);
  const auto one_thread = make_decoder(config, tensors, CodecLowering::fused_bf16);
  const auto whole = decode(*one_thread, codes, config.num_quantizers, 9);
  for (const int chunk : {1, 3, 8}) EXPECT_EQ(decode(*one_thread, codes, config.num_quantizers, chunk), whole) << chunk;
  const auto two_threads = make_decoder(config, tensors, CodecLowering::fused_bf16, /*num_threads=*/2);
  EXPECT_EQ(decode(*two_threads, codes, config.num_quantizers, 9), whole);
}

TEST(CodecBf16, IsChosenForStoredSixteenBitWeightsWhereTheCpuHasItAndNeverForF32) {
  const CodecConfig config = test::toy_codec_config();
  std::mt19937 random(6);
  const auto codes = test::random_codes(4 * config.num_quantizers, config.codebook_size, random);
  Kernels with_dots = kernels(), without = kernels();
  with_dots.has_bf16_dots = true;
  without.has_bf16_dots = false;
  for (const auto& [dtype, table, chosen] : {std::tuple(DType::f32, &with_dots, CodecLowering::fused),
                                             std::tuple(DType::f16, &with_dots, CodecLowering::fused_bf16),
                                             std::tuple(DType::bf16, &with_dots, CodecLowering::fused_bf16),
                                             std::tuple(DType::f16, &without, CodecLowering::fused)}) {
    const KernelsScope scope(table);
    const auto tensors = test::toy_codec(config, /*seed=*/3, dtype);
    const auto samples = [&](CodecLowering lowering) {
      return decode(*make_decoder(config, tensors, lowering), codes, config.num_quantizers, 4);
    };
    EXPECT_EQ(samples(CodecLowering::automatic), samples(chosen)) << dtype_name(dtype) << table->has_bf16_dots;
  }
}

}  // namespace
}  // namespace kazeia
