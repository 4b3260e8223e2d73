// The codec on a device: the layers in operations that accelerators have, wholly there, in few calls, and the same
// samples as everywhere else.
// links: kazeia_stage_codec
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "compute/plan.h"
#include "compute/sim/sim_device.h"
#include "nn/device_math.h"
#include "nn/device_rules.h"
#include "stages/codec/decoder.h"
#include "support/decode.h"
#include "support/device_names.h"
#include "support/differences.h"
#include "support/toy_codec.h"

namespace kazeia {
namespace {

using test::decode;
using test::random_codes;
using test::signal_to_noise_db;
using test::toy_codec;
using test::toy_codec_config;

// y = function(x) on the device, for x: [T, C].
std::vector<float> compute(const std::shared_ptr<Device>& device, const std::vector<float>& x, int64_t channels,
                           const std::function<Tensor(Graph&, Tensor)>& function) {
  Graph g(64);
  const Tensor input = g.input("x", DType::f32, {static_cast<int64_t>(x.size()) / channels, channels});
  const Tensor output = g.output("y", function(g, input));
  auto plan = Plan::create(device, std::move(g));
  EXPECT_TRUE(plan) << plan.error().message;
  plan->set(input, x);
  EXPECT_TRUE(plan->run());
  std::vector<float> y(x.size());
  plan->get(output, y);
  return y;
}

// A part that may not fall back to the CPU.
std::shared_ptr<Device> strict_device(const std::string& name, const std::string& part = "codec") {
  auto device = Device::open(name, /*num_threads=*/1);
  EXPECT_TRUE(device) << device.error().message;
  return *(*device)->for_part({.part = part, .strict = true});
}

std::vector<float> range(double low, double high, int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(low + (high - low) * i / (count - 1)));
  return values;
}

class DeviceMath : public testing::TestWithParam<const char*> {};

TEST_P(DeviceMath, SineSquaredIsWithinItsBoundWhereSnakesUseIt) {
  const std::vector<float> x = range(-100.0, 100.0, 400'000);
  const std::vector<float> y = compute(strict_device(GetParam()), x, 500, nn::sine_squared);
  double largest = 0.0;
  for (size_t i = 0; i < x.size(); ++i)
    largest = std::max(largest, std::abs(y[i] - std::pow(std::sin(double{x[i]}), 2)));
  RecordProperty("largest_error", std::to_string(largest));
  EXPECT_LE(largest, 1e-4);
}

TEST_P(DeviceMath, GeluOfExponentialsIsTheExactGelu) {
  const std::vector<float> x = range(-30.0, 30.0, 300'000);
  const std::vector<float> y = compute(strict_device(GetParam()), x, 500, nn::gelu_of_exp);
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = 0.5 * x[i] * (1.0 + std::erf(x[i] / std::numbers::sqrt2));
    ASSERT_NEAR(y[i], expected, 1e-6 * std::max(1.0, std::abs(double{x[i]}))) << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceMath, testing::Values("cpu", "sim:hexagon", "sim:hexagon-2026-11"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == ':' || c == '-'; }, '_');
                           return name;
                         });

TEST(DeviceRules, LimitsAreFoundByAskingTheDevice) {
  EXPECT_EQ(nn::DeviceRules::of(**Device::cpu(1)).max_matmul_rows, 0);
  EXPECT_TRUE(nn::DeviceRules::of(**Device::cpu(1)).exact_gelu);
  const nn::DeviceRules rules = nn::DeviceRules::of(*strict_device("sim:hexagon"));
  EXPECT_EQ(rules.max_matmul_rows, 1024);
  EXPECT_FALSE(rules.exact_gelu);
}

// Channels of a published model's last blocks, whose rows exceed the device's limit; the rest is small.
CodecConfig wide_codec_config() {
  CodecConfig config = toy_codec_config();
  config.decoder_dim = 384;  // blocks of 192 and 96 channels
  config.upsampling_ratios = {2, 2};
  config.upsample_rates = {40, 12};  // 1,920 samples a frame
  return config;
}

class DeviceCodec : public testing::TestWithParam<const char*> {
 protected:
  std::vector<int32_t> codes(const CodecConfig& config, int num_frames) {
    std::mt19937 random(4);
    return random_codes(num_frames * config.num_quantizers, config.codebook_size, random);
  }
  std::unique_ptr<CodecDecoder> make(const CodecConfig& config, const std::shared_ptr<const TensorSource>& source) {
    auto decoder = CodecDecoder::create(config, source, device_);
    EXPECT_TRUE(decoder) << decoder.error().message;
    return std::move(*decoder);
  }

  std::shared_ptr<Device> device_ = strict_device(GetParam());
};

TEST_P(DeviceCodec, StreamingEqualsDecodingAtOnceBitForBit) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make(config, toy_codec(config, 3));
  const std::vector<int32_t> frames = codes(config, 23);
  const std::vector<float> whole = decode(*decoder, frames, config.num_quantizers, 23);
  EXPECT_GT(std::set<float>(whole.begin(), whole.end()).size(), whole.size() / 2);  // alive, not clamped
  for (const int chunk : {1, 2, 3, 5, 22}) EXPECT_EQ(decode(*decoder, frames, config.num_quantizers, chunk), whole);
}

TEST_P(DeviceCodec, SamplesAreThoseOfTheReadableLayers) {
  const CodecConfig config = toy_codec_config();
  const auto source = toy_codec(config, 3);
  const std::vector<int32_t> frames = codes(config, 23);
  const auto readable = *CodecDecoder::create(config, source, *Device::cpu(1), CodecLowering::portable);
  const std::vector<float> expected = decode(*readable, frames, config.num_quantizers, 23);
  const std::vector<float> found = decode(*make(config, source), frames, config.num_quantizers, 23);
  RecordProperty("snr_db", std::to_string(signal_to_noise_db(found, expected)));
  EXPECT_GE(signal_to_noise_db(found, expected), 38.0);
}

TEST_P(DeviceCodec, PiecesWithinTheRowLimitMakeNoDifference) {
  const CodecConfig config = wide_codec_config();
  const auto decoder = make(config, toy_codec(config, 5));
  const std::vector<int32_t> frames = codes(config, 2);
  const std::vector<float> whole = decode(*decoder, frames, config.num_quantizers, 2);
  EXPECT_EQ(decode(*decoder, frames, config.num_quantizers, 1), whole);
}

TEST_P(DeviceCodec, AChunkIsOneCallOneUploadAndOneDownload) {
  const CodecConfig config = toy_codec_config();
  const auto decoder = make(config, toy_codec(config, 3));
  const std::vector<int32_t> frames = codes(config, 4);
  decode(*decoder, frames, config.num_quantizers, 4);  // makes the graph
  sim::SimDevice* sim = sim::find(device_->backend());
  ASSERT_NE(sim, nullptr);
  sim->counters() = {};
  std::vector<float> samples;
  ASSERT_TRUE(decoder->push(frames, samples));
  EXPECT_EQ(sim->counters().graph_calls, 1);
  EXPECT_EQ(sim->counters().uploads, 1);
  EXPECT_EQ(sim->counters().downloads, 1);
  EXPECT_EQ(device_->coverage().cpu_macs, 0);
  EXPECT_GT(device_->coverage().device_macs, 0);
  for (const char* op : {"IM2COL", "CONV_TRANSPOSE_1D", "SIN", "COS", "FLOOR"})
    EXPECT_EQ(sim->counters().ops.count(op), 0U) << op;
}

// The wave decoder alone on a device, with the rest on the CPU, and both on devices of their own.
TEST_P(DeviceCodec, TheWaveDecoderMayLieOnADeviceOfItsOwn) {
  const CodecConfig config = toy_codec_config();
  const auto source = toy_codec(config, 3);
  const std::vector<int32_t> frames = codes(config, 8);
  const std::vector<float> expected = decode(*make(config, source), frames, config.num_quantizers, 8);
  for (const bool front_on_cpu : {true, false}) {
    const auto front = front_on_cpu ? *Device::cpu(1) : strict_device(GetParam(), "codec");
    const auto wave = strict_device(GetParam(), "codec.wave");
    const auto decoder = CodecDecoder::create(config, source, front, CodecLowering::automatic, wave);
    ASSERT_TRUE(decoder) << decoder.error().message;
    const std::vector<float> found = decode(**decoder, frames, config.num_quantizers, 8);
    EXPECT_GE(signal_to_noise_db(found, expected), 38.0);
    EXPECT_EQ(decode(**decoder, frames, config.num_quantizers, 3), found);
    EXPECT_EQ(wave->coverage().cpu_nodes, 0);
    EXPECT_EQ(wave->coverage().device_calls, wave->coverage().uploads);
    EXPECT_EQ(front->coverage().device_calls, front_on_cpu ? 0 : wave->coverage().device_calls);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceCodec, testing::Values("sim:hexagon", "sim:hexagon-2026-11"),
                         test::name_of_device);

}  // namespace
}  // namespace kazeia
