// Each stage of the decoder, given what the stage before it made, is what the plain loops of tests/reference say.
// links: kazeia_stage_codec
#include <gtest/gtest.h>

#include <map>

#include "reference/layers.h"
#include "reference/layouts.h"
#include "stages/codec/decoder.h"
#include "support/toy_codec.h"

namespace kazeia {
namespace {

using reference::Signal;

constexpr int kFrames = 17;  // two chunks of the decoder and a rest; longer than the window

class CodecStages : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(9);
    codes_ = test::random_codes(kFrames * config_.num_quantizers, config_.codebook_size, random);
    auto decoder = *CodecDecoder::create(config_, source_, *Device::cpu(1));
    decoder->set_probe([&](const std::string& stage, std::span<const float> values) {
      stages_[stage].insert(stages_[stage].end(), values.begin(), values.end());
    });
    std::vector<float> samples;
    ASSERT_TRUE(decoder->push(codes_, samples));
  }

  std::vector<float> weight(const std::string& name) const {
    std::vector<std::byte> bytes;
    EXPECT_TRUE(source_->read("codec." + name, bytes));
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Signal stage(const std::string& name, int64_t channels) const {
    const std::vector<float>& values = stages_.at(name);
    return Signal(static_cast<int64_t>(values.size()) / channels, channels, values);
  }
  // f32 against double: sums of at most 7 * 32 products around one, kept to 1e-5 of the largest value.
  void expect_stage(const std::string& name, const Signal& expected) const {
    const std::vector<float>& found = stages_.at(name);
    ASSERT_EQ(found.size(), expected.values.size()) << name;
    double largest = 0.0;
    for (const double value : expected.values) largest = std::max(largest, std::abs(value));
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected.values[i], 1e-5 * largest) << name << " " << i;
  }

  Signal linear(const Signal& x, const std::string& name) const {
    return reference::linear(x, weight(name + ".weight"), weight(name + ".bias"));
  }
  Signal projection(const Signal& x, const std::string& name) const {
    return reference::linear(x, weight(name + ".weight"), {});
  }
  Signal conv(const Signal& x, const std::string& name, int64_t taps, int64_t dilation) const {
    const std::vector<float> bias = weight(name + ".bias");
    const auto out = static_cast<int64_t>(bias.size());
    const auto official = reference::official_conv(weight(name + ".weight"), out, x.channels, taps);
    return reference::causal_conv(x, official, bias, taps, dilation);
  }
  Signal transposed_conv(const Signal& x, const std::string& name, int64_t stride, int64_t taps) const {
    const std::vector<float> bias = weight(name + ".bias");
    const auto out = static_cast<int64_t>(bias.size());
    const auto official = reference::official_transposed_conv(weight(name + ".weight"), out, x.channels, stride, taps);
    return reference::causal_transposed_conv(x, official, bias, taps * stride, stride);
  }
  Signal snake(const Signal& x, const std::string& name) const {
    return reference::snake(x, weight(name + ".alpha"), weight(name + ".inv_beta"));
  }
  Signal norm(const Signal& x, const std::string& name) const {
    return reference::rms_norm(x, weight(name + ".weight"), config_.pre_transformer.rms_norm_eps);
  }

  CodecConfig config_ = test::toy_codec_config();
  std::shared_ptr<test::MemorySource> source_ = test::toy_codec(config_, /*seed=*/3);
  std::vector<int32_t> codes_;
  std::map<std::string, std::vector<float>> stages_;
};

TEST_F(CodecStages, TheQuantizerAddsTheProjectedCodebookRows) {
  const int64_t half = config_.codebook_dim / 2;
  Signal first(kFrames, half), rest(kFrames, half);
  for (int group = 0; group < config_.num_quantizers; ++group) {
    const std::vector<float> codebook = weight("quantizer.codebooks." + std::to_string(group) + ".weight");
    Signal& side = group == 0 ? first : rest;
    for (int64_t t = 0; t < kFrames; ++t) {
      const int64_t code = codes_[static_cast<size_t>(t * config_.num_quantizers + group)];
      for (int64_t c = 0; c < half; ++c) side.at(t, c) += codebook[static_cast<size_t>(code * half + c)];
    }
  }
  expect_stage("quantized", reference::add_scaled(projection(first, "quantizer.first_proj"),
                                                  projection(rest, "quantizer.rest_proj")));
}

TEST_F(CodecStages, ThePreTransformerIsAConvThenWindowedLayers) {
  const LayerStackConfig& stack = config_.pre_transformer;
  expect_stage("pre_conv", conv(stage("quantized", config_.codebook_dim), "pre_conv", 3, 1));
  const reference::AttentionShape shape{.num_heads = stack.num_heads,
                                        .num_kv_heads = stack.num_kv_heads,
                                        .head_size = stack.head_size,
                                        .rope_theta = double{stack.rope_theta},
                                        .window = config_.sliding_window};
  Signal x = linear(stage("pre_conv", config_.latent_dim), "pre_transformer.input_proj");
  for (int i = 0; i < stack.num_layers; ++i) {
    const std::string layer = "pre_transformer.layers." + std::to_string(i) + ".";
    Signal y = norm(x, layer + "input_norm");
    y = reference::attention(projection(y, layer + "q_proj"), projection(y, layer + "k_proj"),
                             projection(y, layer + "v_proj"), shape);
    x = reference::add_scaled(x, projection(y, layer + "o_proj"), weight(layer + "attention_scale.weight"));
    y = norm(x, layer + "post_attention_norm");
    Signal gate = projection(y, layer + "gate_proj");
    const Signal up = projection(y, layer + "up_proj");
    for (size_t j = 0; j < gate.values.size(); ++j) gate.values[j] = reference::silu(gate.values[j]) * up.values[j];
    x = reference::add_scaled(x, projection(gate, layer + "down_proj"), weight(layer + "mlp_scale.weight"));
  }
  expect_stage("pre_transformer", linear(norm(x, "pre_transformer.norm"), "pre_transformer.output_proj"));
}

TEST_F(CodecStages, AnUpsamplingStageIsATransposedConvAndAConvNeXtBlock) {
  for (size_t i = 0; i < config_.upsampling_ratios.size(); ++i) {
    const std::string name = "upsample." + std::to_string(i) + ".";
    Signal x = stage(i == 0 ? "pre_transformer" : "upsample_" + std::to_string(i - 1), config_.latent_dim);
    x = transposed_conv(x, name + "conv", config_.upsampling_ratios[i], 1);
    const std::vector<float> bias = weight(name + "dwconv.bias");
    const auto depthwise = reference::official_conv(weight(name + "dwconv.weight"), config_.latent_dim, 1, 7);
    Signal y = reference::causal_depthwise_conv(x, depthwise, bias, 7);
    y = linear(reference::layer_norm(y, weight(name + "norm.weight"), weight(name + "norm.bias"), 1e-6),
               name + "pwconv1");
    for (double& value : y.values) value = reference::gelu(value);
    expect_stage("upsample_" + std::to_string(i),
                 reference::add_scaled(x, linear(y, name + "pwconv2"), weight(name + "gamma.weight")));
  }
}

TEST_F(CodecStages, TheWaveDecoderIsConvBlocksSnakeConvClamp) {
  int64_t channels = config_.latent_dim;
  std::string before = "upsample_" + std::to_string(config_.upsampling_ratios.size() - 1);
  expect_stage("wave_conv", conv(stage(before, channels), "wave.conv_in", 7, 1));
  before = "wave_conv";
  channels = config_.decoder_dim;
  for (size_t i = 0; i < config_.upsample_rates.size(); ++i, channels /= 2) {
    const std::string block = "wave.blocks." + std::to_string(i) + ".";
    Signal x = snake(stage(before, channels), block + "snake");
    x = transposed_conv(x, block + "upsample", config_.upsample_rates[i], 2);
    int64_t dilation = 1;
    for (int j = 0; j < 3; ++j, dilation *= 3) {
      const std::string unit = block + "units." + std::to_string(j) + ".";
      Signal y = conv(snake(x, unit + "snake1"), unit + "conv1", 7, dilation);
      y = linear(snake(y, unit + "snake2"), unit + "conv2");
      x = reference::add_scaled(x, y);
    }
    before = "wave_block_" + std::to_string(i);
    expect_stage(before, x);
  }
  Signal y = conv(snake(stage(before, channels), "wave.snake"), "wave.conv_out", 7, 1);
  for (double& value : y.values) value = std::min(1.0, std::max(-1.0, value));
  expect_stage("wave_output", y);
}

}  // namespace
}  // namespace kazeia
