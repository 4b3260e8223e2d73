// What a device's f16 costs: scores and samples against f32 on the CPU, teacher-forced, and where free-running speech
// parts ways. docs/devices.md has the figures.
// links: kazeia_stage_talker kazeia_stage_code_predictor kazeia_stage_codec
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compute/sim/sim_device.h"
#include "formats/model_file.h"
#include "sampling/sampling.h"
#include "stages/code_predictor/code_predictor.h"
#include "stages/codec/decoder.h"
#include "stages/talker/talker.h"
#include "support/device_names.h"
#include "support/differences.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

constexpr int kFrames = 12;

// The relative error, as a root mean square, that rounding to f16 may leave after num_products matrix products in a
// row. A device rounds weights and results to 2^-11; independent errors grow with the root of their number; the factor
// is what norms, softmax and snakes may amplify.
double rounding_bound(int num_products) { return 4.0 * 0x1p-11 * std::sqrt(num_products); }

// Per layer seven matrices and the two products of attention; then the head, and the projection before.
int products_of(const LayerStackConfig& stack) { return 9 * stack.num_layers + 2; }

// Along the signal's path; the taps of a convolution are products side by side.
int products_of(const CodecConfig& config) {
  const auto upsamplings = static_cast<int>(config.upsampling_ratios.size());
  const auto blocks = static_cast<int>(config.upsample_rates.size());
  return 2 + products_of(config.pre_transformer) + 3 * upsamplings + 2 + 7 * blocks;
}

std::shared_ptr<Device> strict_device(const std::string& name, const char* part) {
  const auto device = Device::open(name, /*num_threads=*/1);
  EXPECT_TRUE(device) << device.error().message;
  return *(*device)->for_part({.part = part, .strict = true});
}

class Fidelity : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto model = make_random_model("tiny16:f32", /*seed=*/11);
    ASSERT_TRUE(model) << model.error().message;
    model_ = *std::move(model);
    embeddings_.emplace(*CodeEmbeddings::open(model_.config, model_.tensors));
    std::mt19937 random(5);
    codes_ = test::random_codes(kFrames * num_groups(), model_.config.codec.codebook_size, random);
  }
  int num_groups() const { return model_.config.talker.num_code_groups; }
  std::span<const int32_t> frame(int index) const {
    return std::span(codes_).subspan(static_cast<size_t>(index * num_groups()), static_cast<size_t>(num_groups()));
  }
  Prompt prompt(int num_rows) const {
    Prompt prompt;
    for (int i = 0; i < num_rows; ++i) prompt.rows.push_back({.text_id = i % 200, .codec_id = i % 100});
    prompt.pad_text_id = 3;
    return prompt;
  }
  std::unique_ptr<Talker> talker(const std::shared_ptr<Device>& device) {
    return *Talker::create(model_.config.talker, model_.tensors, device, *embeddings_);
  }
  std::unique_ptr<CodePredictor> predictor(const std::shared_ptr<Device>& device) {
    return *CodePredictor::create(model_.config, model_.tensors, device, *embeddings_);
  }
  void report(const char* what, double error, double bound) {
    std::printf("  %-28s %.1e (bound %.1e)\n", what, error, bound);
    RecordProperty(what, std::to_string(error));
    EXPECT_LE(error, bound) << what;
    EXPECT_GT(error, 0.0) << what << ": the device does round";
  }

  std::shared_ptr<Device> cpu_ = *Device::cpu(1);
  ModelFile model_;
  std::optional<CodeEmbeddings> embeddings_;
  std::vector<int32_t> codes_;  // [kFrames, K]
};

TEST_P(Fidelity, TalkerScoresStayWithinTheBoundOfItsProducts) {
  const auto device = strict_device(GetParam(), "talker");
  const auto exact = talker(cpu_), rounded = talker(device);
  TalkerOutput expected, found;
  // More rows than a graph takes, and more positions than the cache has at first.
  ASSERT_TRUE(exact->begin(prompt(300), expected));
  ASSERT_TRUE(rounded->begin(prompt(300), found));
  double worst = test::relative_error(found.logits, expected.logits);
  for (int i = 0; i < kFrames; ++i) {
    ASSERT_TRUE(exact->step(frame(i), expected));
    ASSERT_TRUE(rounded->step(frame(i), found));
    worst = std::max(worst, test::relative_error(found.logits, expected.logits));
  }
  report("talker_logits", worst, rounding_bound(products_of(model_.config.talker.stack)));
  EXPECT_EQ(device->coverage().cpu_nodes, 0);
}

TEST_P(Fidelity, ATalkerStepIsOneCallAndOneUpload) {
  const auto device = strict_device(GetParam(), "talker");
  const auto on_device = talker(device);
  TalkerOutput out;
  ASSERT_TRUE(on_device->begin(prompt(20), out));
  ASSERT_TRUE(on_device->step(frame(0), out));
  sim::Counters& counters = sim::find(device->backend())->counters();
  counters = {};
  ASSERT_TRUE(on_device->step(frame(1), out));
  EXPECT_EQ(counters.graph_calls, 1);
  EXPECT_EQ(counters.uploads, 1);
  EXPECT_EQ(counters.downloads, 2);  // state and scores
}

TEST_P(Fidelity, CodePredictorScoresStayWithinTheBoundOfItsProducts) {
  const auto device = strict_device(GetParam(), "code_predictor");
  const auto exact = predictor(cpu_), rounded = predictor(device);
  std::mt19937 random(6);
  double worst = 0.0;
  for (int i = 0; i < kFrames; ++i) {
    const std::vector<float> hidden = test::random_values(model_.config.talker.stack.hidden_size, 2.0F, random);
    std::vector<std::vector<float>> expected;
    CodeFrame unused;
    const auto given = frame(i);
    ASSERT_TRUE(exact->predict(
        hidden, given[0],
        [&](int group, std::span<const float> logits) {
          expected.emplace_back(logits.begin(), logits.end());
          return given[static_cast<size_t>(group)];
        },
        unused));
    ASSERT_TRUE(rounded->predict(
        hidden, given[0],
        [&](int group, std::span<const float> logits) {
          worst = std::max(worst, test::relative_error(logits, expected[static_cast<size_t>(group - 1)]));
          return given[static_cast<size_t>(group)];
        },
        unused));
  }
  report("code_predictor_logits", worst, rounding_bound(products_of(model_.config.code_predictor.stack)));
  EXPECT_EQ(device->coverage().cpu_nodes, 0);
}

TEST_P(Fidelity, SamplesStayWithinTheBoundOfTheCodecsProducts) {
  const auto device = strict_device(GetParam(), "codec");
  const auto exact = *CodecDecoder::create(model_.config.codec, model_.tensors, cpu_, CodecLowering::portable);
  const auto rounded = *CodecDecoder::create(model_.config.codec, model_.tensors, device);
  std::vector<float> expected, found;
  ASSERT_TRUE(exact->push(codes_, expected));
  ASSERT_TRUE(rounded->push(codes_, found));
  const double error = test::relative_error(found, expected);
  std::printf("  codec: signal to noise %.1f dB\n", -20.0 * std::log10(error));
  report("samples", error, rounding_bound(products_of(model_.config.codec)));
  EXPECT_EQ(device->coverage().cpu_nodes, 0);
}

// Says nothing about quality: it is here to be known. Both are right until two scores nearly tie.
TEST_P(Fidelity, FreeRunningSpeechPartsWaysSomewhereAndThatIsReported) {
  const auto device = strict_device(GetParam(), "talker");
  const auto run = [&](const std::shared_ptr<Device>& place) {
    const auto speaker = talker(place);
    const auto rest = predictor(place);
    // The first driver's draws compare all pairs of scores, which takes a second a frame on the CPU that plays it.
    std::vector<CodeFrame> frames(std::string(GetParam()) == "sim:hexagon" ? 4 : 60);
    TalkerOutput state;
    Sampler sampler;
    EXPECT_TRUE(speaker->begin(prompt(20), state));
    for (uint32_t i = 0; i < frames.size(); ++i) {
      const SamplingLimits limits{.suppress_from = model_.config.codec.codebook_size};
      const int32_t code0 = sampler.draw(state.logits, SamplingDefaults{}, limits, {7, i, 0});
      EXPECT_TRUE(rest->draw(state.hidden, code0, SamplingDefaults{}, 7, i, frames[i]));
      EXPECT_TRUE(
          speaker->step(std::span<const int32_t>(frames[i].codes).first(static_cast<size_t>(num_groups())), state));
    }
    return frames;
  };
  const auto exact = run(cpu_), rounded = run(device);
  size_t equal = 0;
  while (equal < exact.size() && exact[equal].codes == rounded[equal].codes) ++equal;
  std::printf("  free-running: the first %zu of %zu frames are equal\n", equal, exact.size());
  RecordProperty("equal_frames", static_cast<int>(equal));
}

INSTANTIATE_TEST_SUITE_P(Devices, Fidelity, testing::Values("sim:hexagon", "sim:hexagon-2026-11"),
                         test::name_of_device);

}  // namespace
}  // namespace kazeia
