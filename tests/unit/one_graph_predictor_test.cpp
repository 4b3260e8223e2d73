// The code predictor's whole frame in one graph: the codes of the step-by-step path, in one call of the device.
// links: kazeia_stage_code_predictor
#include <gtest/gtest.h>

#include <random>

#include "compute/sim/sim_device.h"
#include "formats/model_file.h"
#include "stages/code_predictor/code_predictor.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

constexpr const char* kToday = "sim:hexagon-2026-11";

std::shared_ptr<Device> strict_device(const std::string& name) {
  auto device = Device::open(name, /*num_threads=*/1);
  EXPECT_TRUE(device) << device.error().message;
  return *(*device)->for_part({.part = "code_predictor", .strict = true});
}

class OneGraphPredictor : public testing::Test {
 protected:
  void open(const std::string& spec) {
    auto model = make_random_model(spec, /*seed=*/5);
    ASSERT_TRUE(model) << model.error().message;
    model_ = std::move(*model);
    embeddings_.emplace(*CodeEmbeddings::open(model_->config, model_->tensors));
  }
  std::unique_ptr<CodePredictor> make(const std::shared_ptr<Device>& device, CodePredictorWay way) {
    auto predictor = CodePredictor::create(model_->config, model_->tensors, device, *embeddings_, way);
    EXPECT_TRUE(predictor) << predictor.error().message;
    return std::move(*predictor);
  }
  std::vector<float> hidden(uint32_t seed) const {
    std::mt19937 random(seed);
    return test::random_values(model_->config.talker.stack.hidden_size, 2.0F, random);
  }
  // The codes of a few frames.
  std::vector<CodeFrame> frames(CodePredictor& predictor, const SamplingDefaults& options, uint64_t seed) {
    std::vector<CodeFrame> frames(3);
    for (uint32_t i = 0; i < frames.size(); ++i) {
      const Status status = predictor.draw(hidden(i), static_cast<int32_t>(i), options, seed, i, frames[i]);
      EXPECT_TRUE(status) << status.error().message;
    }
    return frames;
  }
  static void expect_equal(const std::vector<CodeFrame>& found, const std::vector<CodeFrame>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i].codes, expected[i].codes) << "frame " << i;
  }

  std::optional<ModelFile> model_;
  std::optional<CodeEmbeddings> embeddings_;
};

const SamplingDefaults kOptions[] = {
    {.do_sample = false},
    {.temperature = 0.9F, .top_k = 50},
    {.temperature = 0.7F, .top_k = 5},
    {.temperature = 1.3F, .top_k = 0},
    {.temperature = 1.0F, .top_k = 1},
    {.temperature = 0.9F, .top_k = 1'000'000},
};

TEST_F(OneGraphPredictor, CodesAreThoseOfTheStepByStepPathForEverySeed) {
  for (const char* spec : {"tiny:f32", "tiny:f16", "tiny:q8_0"}) {
    open(spec);
    for (const char* name : {"cpu", kToday}) {
      SCOPED_TRACE(std::string(spec) + " on " + name);
      const auto device = strict_device(name);
      const auto steps = make(device, CodePredictorWay::step_by_step);
      const auto graph = make(device, CodePredictorWay::one_graph);
      for (const SamplingDefaults& options : kOptions) {
        for (const uint64_t seed : {1, 2, 3, 4, 5})
          expect_equal(frames(*graph, options, seed), frames(*steps, options, seed));
        EXPECT_EQ(graph->step_by_step_reason(), "");
      }
    }
  }
}

TEST_F(OneGraphPredictor, AFrameIsOneCallOneUploadAndOneDownload) {
  open("tiny:q8_0");
  const auto device = strict_device(kToday);
  const auto predictor = make(device, CodePredictorWay::automatic);
  const SamplingDefaults options;
  frames(*predictor, options, 1);
  sim::SimDevice* sim = sim::find(device->backend());
  ASSERT_NE(sim, nullptr);
  sim->counters() = {};
  CodeFrame frame;
  ASSERT_TRUE(predictor->draw(hidden(1), 3, options, 1, 7, frame));
  EXPECT_EQ(sim->counters().graph_calls, 1);
  EXPECT_EQ(sim->counters().uploads, 1);
  EXPECT_EQ(sim->counters().downloads, 1);
  EXPECT_EQ(device->coverage().cpu_nodes, 0);
  sim::Profile figures = sim->profile();
  figures.figures.ms_per_call = 5.0;
  EXPECT_LE(sim->counters().overhead_ms(figures), 5.2);  // the call, and the copies
}

TEST_F(OneGraphPredictor, WhatTheGraphCantDrawIsDrawnStepByStepAndSaidSo) {
  open("tiny:f32");
  const auto device = strict_device(kToday);
  const auto steps = make(device, CodePredictorWay::step_by_step);
  const auto graph = make(device, CodePredictorWay::automatic);
  const SamplingDefaults options{.temperature = 0.9F, .top_k = 50, .top_p = 0.8F};
  expect_equal(frames(*graph, options, 9), frames(*steps, options, 9));
  EXPECT_EQ(graph->step_by_step_reason(), "top-p needs a sorted sum, which graphs don't have");
}

TEST_F(OneGraphPredictor, ADeviceWithoutTheOperationsWorksStepByStepAndSaysWhy) {
  open("tiny:f32");
  const auto device = strict_device("sim:hexagon");
  const auto predictor = make(device, CodePredictorWay::automatic);
  const auto expected = make(device, CodePredictorWay::step_by_step);
  expect_equal(frames(*predictor, SamplingDefaults{}, 9), frames(*expected, SamplingDefaults{}, 9));
  EXPECT_NE(predictor->step_by_step_reason().find("TOP_K"), std::string::npos) << predictor->step_by_step_reason();
  EXPECT_EQ(device->coverage().cpu_nodes, 0);
  EXPECT_FALSE(
      CodePredictor::create(model_->config, model_->tensors, device, *embeddings_, CodePredictorWay::one_graph));
}

TEST_F(OneGraphPredictor, AnUtteranceLeavesNothingBehind) {
  open("tiny:f32");
  const auto predictor = make(strict_device(kToday), CodePredictorWay::automatic);
  const auto first = frames(*predictor, SamplingDefaults{}, 1);
  frames(*predictor, SamplingDefaults{.do_sample = false}, 2);
  expect_equal(frames(*predictor, SamplingDefaults{}, 1), first);
}

}  // namespace
}  // namespace kazeia
