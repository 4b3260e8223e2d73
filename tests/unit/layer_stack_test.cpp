// The fused CPU stack against the graph stack, its oracle, on the same quantised weights.
// links: kazeia_engine
// processors: 2

#include "nn/layer_stack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "formats/model_file.h"
#include "support/differences.h"

namespace kazeia {
namespace {

nn::StackSpec talker_spec(const ModelConfig& config) {
  return {.config = config.talker.stack,
          .input_width = config.talker.stack.hidden_size,
          .prefix = "talker.",
          .input_proj = "",
          .heads = {"talker.codec_head.weight"}};
}

struct Output {
  std::vector<float> hidden, logits;
};

Output run(nn::LayerStack& stack, const ModelConfig& config, std::span<const float> rows) {
  Output out{std::vector<float>(static_cast<size_t>(config.talker.stack.hidden_size)),
             std::vector<float>(static_cast<size_t>(config.talker.vocab_size))};
  EXPECT_TRUE(stack.run(rows, 0, out.hidden, out.logits));
  return out;
}

std::vector<float> random_rows(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> rows(count);
  for (float& value : rows) value = normal(engine);
  return rows;
}

class LayerStackTest : public testing::TestWithParam<const char*> {};

TEST_P(LayerStackTest, FusedKernelsAgreeWithTheGraph) {
  const auto model = make_random_model(GetParam(), /*seed=*/3);
  ASSERT_TRUE(model) << model.error().message;
  const ModelConfig& config = model->config;
  const nn::StackSpec spec = talker_spec(config);
  ASSERT_TRUE(nn::cpu_stack_fits(spec, *model->tensors));
  for (const int num_threads : {1, 2, 3}) {
    auto device = Device::cpu(num_threads);
    ASSERT_TRUE(device);
    auto fused = nn::create_cpu_stack(spec, *model->tensors, *device);
    auto graph = nn::create_graph_stack(spec, model->tensors, *device);
    ASSERT_TRUE(fused && graph);
    const auto width = static_cast<size_t>(spec.input_width);
    for (const size_t num_rows : {5, 1, 1, 70, 1}) {  // a prompt, steps, a text longer than a batch
      const auto rows = random_rows(num_rows * width, static_cast<uint32_t>(num_rows));
      const Output found = run(**fused, config, rows);
      const Output expected = run(**graph, config, rows);
      // Equal integers; float sums in another order, and now and then an activation on the edge between two steps of
      // its quantisation (1/127 of a group's largest value).
      EXPECT_LE(test::relative_error(found.logits, expected.logits), 2e-3)
          << num_threads << " threads, " << num_rows << " rows";
      EXPECT_LE(test::relative_error(found.hidden, expected.hidden), 2e-3);
    }
  }
}

TEST_P(LayerStackTest, BatchesOfRowsGiveWhatSingleRowsGive) {
  const auto model = make_random_model(GetParam(), /*seed=*/4);
  const nn::StackSpec spec = talker_spec(model->config);
  const auto width = static_cast<size_t>(spec.input_width);
  const auto rows = random_rows(7 * width, 1);
  auto device = Device::cpu(2);
  auto together = nn::create_cpu_stack(spec, *model->tensors, *device);
  auto single = nn::create_cpu_stack(spec, *model->tensors, *device);
  const Output expected = run(**together, model->config, rows);
  Output found;
  for (size_t i = 0; i < 7; ++i) found = run(**single, model->config, std::span(rows).subspan(i * width, width));
  EXPECT_EQ(found.logits, expected.logits);  // every row has its own fixed order of operations
}

TEST_P(LayerStackTest, ResetForgetsAllPositions) {
  const auto model = make_random_model(GetParam(), /*seed=*/5);
  const nn::StackSpec spec = talker_spec(model->config);
  auto device = Device::cpu(2);
  auto stack = nn::create_cpu_stack(spec, *model->tensors, *device);
  const auto rows = random_rows(3 * static_cast<size_t>(spec.input_width), 1);
  const Output first = run(**stack, model->config, rows);
  run(**stack, model->config, rows);
  (*stack)->reset();
  EXPECT_EQ(run(**stack, model->config, rows).logits, first.logits);
}

TEST_P(LayerStackTest, AStopEndsARunOfSeveralRows) {
  const auto model = make_random_model(GetParam(), /*seed=*/6);
  const nn::StackSpec spec = talker_spec(model->config);
  const auto width = static_cast<size_t>(spec.input_width);
  const auto rows = random_rows(3 * width, 1);
  auto fused = nn::create_cpu_stack(spec, *model->tensors, *Device::cpu(2));
  auto graph = nn::create_graph_stack(spec, model->tensors, *Device::cpu(1));
  for (nn::LayerStack* stack : {fused->get(), graph->get()}) {
    const Output expected = run(*stack, model->config, rows);
    std::stop_source source;
    stack->reset();
    stack->set_stop(source.get_token());
    EXPECT_EQ(run(*stack, model->config, rows).logits, expected.logits);

    source.request_stop();
    Output out = expected;
    const Status stopped = stack->run(rows, 0, out.hidden, out.logits);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
    EXPECT_TRUE(stack->run(std::span(rows).first(width), 0, out.hidden, out.logits)) << "a step does not ask";

    stack->reset();
    stack->set_stop({});
    EXPECT_EQ(run(*stack, model->config, rows).logits, expected.logits);
  }
}

TEST_P(LayerStackTest, AStopEndsAFusedRunAfterTheLayerThatItIsIn) {
  const auto model = make_random_model(GetParam(), /*seed=*/7);
  const nn::StackSpec spec = talker_spec(model->config);
  const auto rows = random_rows(3 * static_cast<size_t>(spec.input_width), 1);
  auto device = Device::cpu(2);
  auto stack = nn::create_cpu_stack(spec, *model->tensors, *device);
  Output out = run(**stack, model->config, rows);
  std::stop_source source;
  std::vector<int> layers;
  (*stack)->set_stop(source.get_token());
  (*stack)->set_probe([&](int layer, std::span<const float>) {
    layers.push_back(layer);
    source.request_stop();
  });
  (*stack)->reset();
  const Status stopped = (*stack)->run(rows, 0, out.hidden, out.logits);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(layers, std::vector<int>{0});
}

INSTANTIATE_TEST_SUITE_P(Types, LayerStackTest, testing::Values("tiny:q8_0", "tiny:q4_0"));

}  // namespace
}  // namespace kazeia
