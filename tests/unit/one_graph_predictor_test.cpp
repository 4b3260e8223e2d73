// The code predictor's whole frame in one graph: the codes of the step-by-step path, in one call of the device.
// links: kazeia_stage_code_predictor
#include <gtest/gtest.h>

#include <random>

#include "compute/plan.h"
#include "compute/sim/sim_device.h"
#include "formats/model_file.h"
#include "sampling/graph_sampler.h"
#include "stages/code_predictor/code_predictor.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

constexpr const char* kToday = "sim:hexagon-2026-11";  // draws by index
constexpr const char* kFirst = "sim:hexagon";          // has no top-k and no argmax: draws by one-hot

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
    std::vector<CodeFrame> frames(2);
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
    for (const char* name : {"cpu", kToday, kFirst}) {
      SCOPED_TRACE(std::string(spec) + " on " + name);
      const auto device = strict_device(name);
      const auto steps = make(device, CodePredictorWay::step_by_step);
      const auto graph = make(device, CodePredictorWay::one_graph);
      for (const SamplingDefaults& options : kOptions) {
        for (const uint64_t seed : {1, 2, 3, 4})
          expect_equal(frames(*graph, options, seed), frames(*steps, options, seed));
        EXPECT_EQ(graph->step_by_step_reason(), "");
      }
    }
  }
}

TEST_F(OneGraphPredictor, AFrameIsOneCallOneUploadAndOneDownload) {
  open("tiny:q8_0");
  for (const char* name : {kToday, kFirst}) {
    SCOPED_TRACE(name);
    const auto device = strict_device(name);
    const auto predictor = make(device, CodePredictorWay::automatic);
    const SamplingDefaults options;
    frames(*predictor, options, 1);
    sim::SimDevice* sim = sim::find(device->backend());
    ASSERT_NE(sim, nullptr);
    sim->counters() = {};
    CodeFrame frame;
    ASSERT_TRUE(predictor->draw(hidden(1), 3, options, 1, 7, frame));
    EXPECT_EQ(predictor->step_by_step_reason(), "");
    EXPECT_EQ(sim->counters().graph_calls, 1);
    EXPECT_EQ(sim->counters().uploads, 1);
    EXPECT_EQ(sim->counters().downloads, 1);
    EXPECT_EQ(device->coverage().cpu_nodes, 0);
    EXPECT_EQ(sim->profile().figures.ms_per_call, 5.0);
    EXPECT_LE(sim->counters().overhead_ms(sim->profile()), 5.05);  // the call; copies take the rest
  }
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

// The graph's draw against the sampler on scores that are hard: equal ones at the top, at the k-th place, everywhere.
TEST_F(OneGraphPredictor, EqualScoresAreDrawnLikeTheSamplerDoes) {
  constexpr int kVocab = 64;
  std::vector<std::vector<float>> cases = {std::vector<float>(kVocab, 0.0F), std::vector<float>(kVocab, -3.5F)};
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {  // few distinct values
    std::vector<float> scores;
    for (int id = 0; id < kVocab; ++id) scores.push_back(static_cast<float>(random() % 6) - 2.0F);
    cases.push_back(scores);
  }
  for (const DrawWay way : {DrawWay::by_index, DrawWay::by_one_hot}) {
    for (const SamplingDefaults& options : kOptions) {
      const auto device = strict_device(way == DrawWay::by_index ? kToday : kFirst);
      State constants(2);
      GraphSampler sampler(constants, kVocab, way);
      ASSERT_TRUE(constants.allocate(*device));
      sampler.set_options(options);
      Graph g(64);
      const Tensor logits = g.input("logits", DType::f32, {1, kVocab});
      const Tensor noise = g.input("noise", DType::f32, {1, kVocab});
      const Tensor drawn = g.output("drawn", sampler.draw(g, logits, noise, sampler.top_k_of(options)).countdown);
      auto plan = Plan::create(device, std::move(g));
      ASSERT_TRUE(plan) << plan.error().message;
      Sampler host;
      std::vector<float> values(kVocab), countdown(1);
      for (uint32_t i = 0; i < cases.size(); ++i) {
        const DrawKey key{.seed = 9, .frame = i, .codebook = 1};
        GraphSampler::fill_noise(options, key, values);
        plan->set(logits, std::span<const float>(cases[i]));
        plan->set(noise, std::span<const float>(values));
        ASSERT_TRUE(plan->run());
        plan->get(drawn, std::span<float>(countdown));
        EXPECT_EQ(kVocab - static_cast<int>(countdown[0]), host.draw(cases[i], options, SamplingLimits{}, key));
      }
    }
  }
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
