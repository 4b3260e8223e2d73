// The decoder as its users see it: chunks are inaudible, utterances are independent, errors name what is wrong.
// links: kazeia_stage_codec
#include "stages/codec/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/decode.h"
#include "support/toy_codec.h"

namespace kazeia {
namespace {

using test::decode;
using test::random_codes;
using test::toy_codec;
using test::toy_codec_config;

std::unique_ptr<CodecDecoder> make_decoder(const CodecConfig& config, std::shared_ptr<const TensorSource> source,
                                           int num_threads = 1, CodecLowering lowering = CodecLowering::automatic) {
  return *CodecDecoder::create(config, std::move(source), *Device::cpu(num_threads), lowering);
}

class CodecChunks : public testing::TestWithParam<std::tuple<DType, CodecLowering>> {};

TEST_P(CodecChunks, HowFramesAreSplitOverCallsDoesNotChangeTheSamples) {
  constexpr int kFrames = 60;
  const CodecConfig config = toy_codec_config();
  const auto [dtype, lowering] = GetParam();
  const auto decoder = make_decoder(config, toy_codec(config, /*seed=*/3, dtype), /*num_threads=*/1, lowering);
  std::mt19937 random(4);
  const std::vector<int32_t> codes = random_codes(kFrames * config.num_quantizers, config.codebook_size, random);
  const std::vector<float> whole = decode(*decoder, codes, config.num_quantizers, kFrames);
  ASSERT_EQ(whole.size(), static_cast<size_t>(kFrames * config.samples_per_frame()));
  // The signal is alive: not silent, not stuck at the clamp.
  EXPECT_GT(std::set<float>(whole.begin(), whole.end()).size(), whole.size() / 2);
  for (const int chunk : {1, 3, 8, 25}) {
    SCOPED_TRACE(chunk);
    EXPECT_EQ(decode(*decoder, codes, config.num_quantizers, chunk), whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CodecChunks,
                         testing::Combine(testing::Values(DType::f32, DType::f16, DType::bf16),
                                          testing::Values(CodecLowering::portable, CodecLowering::fused)),
                         [](const auto& test) {
                           const bool fused = std::get<1>(test.param) == CodecLowering::fused;
                           return std::string(dtype_name(std::get<0>(test.param))) + (fused ? "_fused" : "_portable");
                         });

TEST(CodecDecoder, TheNumberOfThreadsDoesNotChangeTheSamples) {
  const CodecConfig config = toy_codec_config();
  std::mt19937 random(5);
  const std::vector<int32_t> codes = random_codes(3 * config.num_quantizers, config.codebook_size, random);
  const auto one = make_decoder(config, toy_codec(config, 3), /*num_threads=*/1);
  const std::vector<float> expected = decode(*one, codes, config.num_quantizers, 3);
  for (const int num_threads : {2, 3}) {
    const auto several = make_decoder(config, toy_codec(config, 3), num_threads);
    EXPECT_EQ(decode(*several, codes, config.num_quantizers, 3), expected) << num_threads;
  }
}

TEST(CodecDecoder, ResetForgetsTheUtteranceBefore) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  std::mt19937 random(6);
  const std::vector<int32_t> a = random_codes(9 * config.num_quantizers, config.codebook_size, random);
  const std::vector<int32_t> b = random_codes(20 * config.num_quantizers, config.codebook_size, random);
  const std::vector<float> first = decode(*decoder, a, config.num_quantizers, 9);
  decode(*decoder, b, config.num_quantizers, 20);
  EXPECT_EQ(decode(*decoder, a, config.num_quantizers, 9), first);
}

TEST(CodecDecoder, LaterFramesDependOnEarlierOnes) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  std::mt19937 random(7);
  std::vector<int32_t> codes = random_codes(4 * config.num_quantizers, config.codebook_size, random);
  const std::vector<float> before = decode(*decoder, codes, config.num_quantizers, 4);
  codes[0] = (codes[0] + 1) % config.codebook_size;
  const std::vector<float> after = decode(*decoder, codes, config.num_quantizers, 4);
  const auto last_frame = static_cast<std::ptrdiff_t>(3 * config.samples_per_frame());
  EXPECT_FALSE(std::equal(before.begin() + last_frame, before.end(), after.begin() + last_frame));
}

TEST(CodecDecoder, AModelWithOneCodebookWorks) {
  CodecConfig config = toy_codec_config();
  config.num_quantizers = 1;
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  const std::vector<int32_t> codes = {1, 39, 0};
  EXPECT_EQ(decode(*decoder, codes, 1, 3).size(), static_cast<size_t>(3 * config.samples_per_frame()));
}

TEST(CodecDecoder, AWrongCodeIsNamedAndLeavesTheUtteranceAsItWas) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  std::mt19937 random(8);
  const std::vector<int32_t> good = random_codes(4 * 5, config.codebook_size, random);
  const std::vector<float> expected = decode(*decoder, good, 5, 2);

  decoder->reset();
  std::vector<float> samples;
  ASSERT_TRUE(decoder->push(std::span(good).first(10), samples));
  std::vector<int32_t> bad(good.begin() + 10, good.end());
  for (const int32_t wrong : {40, -1}) {
    bad[7] = wrong;
    const Status status = decoder->push(bad, samples);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(status.error().message,
              "codec: frame 3, code group 2: expected a code in 0..39, found " + std::to_string(wrong));
  }
  const Status partial = decoder->push(std::span(good).first(7), samples);
  ASSERT_FALSE(partial);
  EXPECT_EQ(partial.error().message, "codec: expected 5 codes for each frame, found 7 codes in all");

  ASSERT_TRUE(decoder->push(std::span(good).subspan(10), samples));
  EXPECT_EQ(samples, expected);
}

TEST(CodecDecoder, AMissingOrMisshapenTensorIsNamed) {
  const CodecConfig config = toy_codec_config();
  const auto message = [&](const std::shared_ptr<test::MemorySource>& source) {
    const auto decoder = CodecDecoder::create(config, source, *Device::cpu(1));
    return decoder ? std::string() : decoder.error().message;
  };
  auto source = toy_codec(config, 3);
  source->remove("codec.wave.blocks.1.units.2.conv1.bias");
  EXPECT_EQ(message(source), "memory: codec.wave.blocks.1.units.2.conv1.bias: the tensor is missing");
  source = toy_codec(config, 3);
  source->add("codec.quantizer.codebooks.3.weight", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(message(source), "memory: codec.quantizer.codebooks.3.weight: expected [40, 10], found [2, 2]");
  source = toy_codec(config, 3);
  source->add("codec.pre_transformer.norm.weight", {24}, std::vector<float>(24, 1.0F), DType::f16);
  EXPECT_EQ(message(source), "memory: codec.pre_transformer.norm.weight: the type f16 is not supported here");
}

TEST(CodecDecoder, TheProbeSeesEveryPartInOrder) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  std::vector<std::pair<std::string, size_t>> seen;
  decoder->set_probe(
      [&](const std::string& stage, std::span<const float> values) { seen.emplace_back(stage, values.size()); });
  std::vector<float> samples;
  ASSERT_TRUE(decoder->push(std::vector<int32_t>(10, 1), samples));  // two frames
  const std::vector<std::pair<std::string, size_t>> expected = {
      {"quantized", 2 * 20},    {"pre_conv", 2 * 28},  {"pre_transformer", 2 * 28}, {"upsample_0", 4 * 28},
      {"upsample_1", 4 * 28},   {"wave_conv", 4 * 32}, {"wave_block_0", 16 * 16},   {"wave_block_1", 48 * 8},
      {"wave_block_2", 96 * 4}, {"wave_output", 96}};
  EXPECT_EQ(seen, expected);
}

TEST(CodecDecoder, TimesCountEveryPartSinceTheReset) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make_decoder(config, toy_codec(config, 3));
  std::vector<float> samples;
  ASSERT_TRUE(decoder->push(std::vector<int32_t>(10, 1), samples));
  const CodecTimes times = decoder->times();
  for (const double ms :
       {times.quantizer_ms, times.pre_conv_ms, times.pre_transformer_ms, times.upsample_ms, times.wave_ms})
    EXPECT_GT(ms, 0.0);
  decoder->reset();
  EXPECT_EQ(decoder->times().wave_ms, 0.0);
}

}  // namespace
}  // namespace kazeia
