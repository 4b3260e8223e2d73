// Code predictor, talker and codec of the published 0.6B size, wholly on the simulated Hexagon of the first engine.
// links: kazeia_stage_talker kazeia_stage_code_predictor kazeia_stage_codec
// labels: slow
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compute/sim/sim_device.h"
#include "formats/model_file.h"
#include "stages/code_predictor/code_predictor.h"
#include "stages/codec/decoder.h"
#include "stages/talker/talker.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

class FullSize : public testing::Test {
 protected:
  void SetUp() override {
    auto model = make_random_model("0.6b:q8_0", /*seed=*/1);
    ASSERT_TRUE(model) << model.error().message;
    model_ = *std::move(model);
  }
  std::shared_ptr<Device> strict_device(const char* part) {
    const auto device = Device::open("sim:hexagon", /*num_threads=*/2);
    EXPECT_TRUE(device) << device.error().message;
    return *(*device)->for_part({.part = part, .strict = true});
  }
  static void report(const char* what, const Device& device, sim::SimDevice& sim) {
    const sim::Counters& c = sim.counters();
    std::printf(
        "  %s: %lld calls, %lld nodes, %.1f million multiply-adds, up %lld x %.1f kB, down %lld x %.1f kB, "
        "overhead %.2f ms, %.0f MB of device memory\n",
        what, static_cast<long long>(c.graph_calls), static_cast<long long>(c.nodes),
        static_cast<double>(c.multiply_adds) * 1e-6, static_cast<long long>(c.uploads),
        static_cast<double>(c.bytes_up) * 1e-3, static_cast<long long>(c.downloads),
        static_cast<double>(c.bytes_down) * 1e-3, c.overhead_ms(sim.profile()),
        static_cast<double>(c.allocated_bytes) * 1e-6);
    EXPECT_EQ(device.coverage().cpu_macs, 0);
  }
  // Forgets what was counted so far, without forgetting what is allocated.
  static void start_counting(sim::SimDevice& sim) {
    const size_t allocated = sim.counters().allocated_bytes;
    sim.counters() = {};
    sim.counters().allocated_bytes = allocated;
  }

  ModelFile model_;
  std::mt19937 random_{3};
};

TEST_F(FullSize, TheCodecDecodesAFrameInOneCall) {
  const auto device = strict_device("codec");
  const CodecConfig& config = model_.config.codec;
  auto decoder = CodecDecoder::create(config, model_.tensors, device);
  ASSERT_TRUE(decoder) << decoder.error().message;
  const std::vector<int32_t> codes = test::random_codes(2 * config.num_quantizers, config.codebook_size, random_);
  const auto frame = [&](size_t index) {
    const auto groups = static_cast<size_t>(config.num_quantizers);
    return std::span(codes).subspan(index * groups, groups);
  };
  std::vector<float> samples;
  ASSERT_TRUE((*decoder)->push(frame(0), samples));
  sim::SimDevice& sim = *sim::find(device->backend());
  start_counting(sim);
  ASSERT_TRUE((*decoder)->push(frame(1), samples));
  report("codec, a frame", *device, sim);
  EXPECT_EQ(sim.counters().graph_calls, 1);
  EXPECT_EQ(sim.counters().uploads, 1);
  EXPECT_EQ(sim.counters().downloads, 1);
  EXPECT_EQ(samples.size(), 2U * 1920U);

  auto exact = CodecDecoder::create(config, model_.tensors, *Device::cpu(2));
  ASSERT_TRUE(exact) << exact.error().message;
  std::vector<float> expected;
  ASSERT_TRUE((*exact)->push(codes, expected));
  double signal = 0.0, noise = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    signal += std::pow(double{expected[i]}, 2);
    noise += std::pow(double{expected[i]} - samples[i], 2);
  }
  std::printf("  signal to noise against the CPU: %.1f dB\n", 10.0 * std::log10(signal / noise));
  EXPECT_GE(10.0 * std::log10(signal / noise), 30.0);
}

TEST_F(FullSize, TheCodePredictorMakesAFrameInOneCall) {
  const auto embeddings = CodeEmbeddings::open(model_.config, model_.tensors);
  ASSERT_TRUE(embeddings);
  const auto device = strict_device("code_predictor");
  auto predictor = CodePredictor::create(model_.config, model_.tensors, device, *embeddings);
  ASSERT_TRUE(predictor) << predictor.error().message;
  const std::vector<float> hidden = test::random_values(model_.config.talker.stack.hidden_size, 2.0F, random_);
  CodeFrame frame;
  ASSERT_TRUE((*predictor)->draw(hidden, 5, SamplingDefaults{}, 1, 0, frame));
  sim::SimDevice& sim = *sim::find(device->backend());
  start_counting(sim);
  ASSERT_TRUE((*predictor)->draw(hidden, 5, SamplingDefaults{}, 1, 1, frame));
  report("code predictor, a frame", *device, sim);
  EXPECT_EQ((*predictor)->step_by_step_reason(), "");
  EXPECT_EQ(sim.counters().graph_calls, 1);
  EXPECT_LE(sim.counters().overhead_ms(sim.profile()), 5.05);
}

TEST_F(FullSize, ATalkerStepIsOneCall) {
  const auto embeddings = CodeEmbeddings::open(model_.config, model_.tensors);
  ASSERT_TRUE(embeddings);
  const auto device = strict_device("talker");
  auto talker = Talker::create(model_.config.talker, model_.tensors, device, *embeddings);
  ASSERT_TRUE(talker) << talker.error().message;
  Prompt prompt;
  for (int i = 0; i < 70; ++i) prompt.rows.push_back({.text_id = i, .codec_id = i});  // more than a graph takes
  TalkerOutput out;
  const std::vector<int32_t> frame(static_cast<size_t>(model_.config.talker.num_code_groups), 7);
  ASSERT_TRUE((*talker)->begin(prompt, out));
  ASSERT_TRUE((*talker)->step(frame, out));
  sim::SimDevice& sim = *sim::find(device->backend());
  start_counting(sim);
  ASSERT_TRUE((*talker)->step(frame, out));
  report("talker, a frame", *device, sim);
  EXPECT_EQ(sim.counters().graph_calls, 1);
}

}  // namespace
}  // namespace kazeia
