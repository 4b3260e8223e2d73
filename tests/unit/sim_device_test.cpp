// The simulated device: it refuses, hides, rounds, counts and fails as it is told.
// links: kazeia_compute kazeia_sim
#include "compute/sim/sim_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "compute/plan.h"
#include "compute/state.h"

namespace kazeia {
namespace {

constexpr int kThreads = 1;

std::vector<float> steps(size_t count, float first, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i);
  return values;
}

// y = x W with W [8, 32] in f16 and x [rows, 32].
struct Product {
  Graph graph{64};
  Tensor weight, x, y;

  explicit Product(int64_t num_rows, DType type = DType::f16) {
    weight = graph.input("weight", type, {8, 32});
    x = graph.input("x", DType::f32, {num_rows, 32});
    y = graph.output("y", {ggml_mul_mat(graph.context(), weight.node, x.node)});
  }
};

// One that sees everything: a product, a sine, a sum.
struct Mixed {
  Graph graph{64};
  Tensor x, y;

  Mixed() {
    x = graph.input("x", DType::f32, {4, 32});
    ggml_tensor* twice = ggml_add(graph.context(), x.node, x.node);
    ggml_tensor* sine = ggml_sin(graph.context(), twice);
    ggml_set_name(sine, "wave");
    y = graph.output("y", {ggml_add(graph.context(), sine, x.node)});
  }
};

std::shared_ptr<Device> open(const std::string& name, const PartRules& rules = {}) {
  auto device = Device::open(name, kThreads);
  EXPECT_TRUE(device) << device.error().message;
  auto part = (*device)->for_part(rules);
  EXPECT_TRUE(part) << part.error().message;
  return *part;
}

sim::SimDevice& simulated(const Device& device) { return *sim::find(device.backend()); }

std::vector<float> run_product(Plan& plan, const Product& product, std::span<const float> x) {
  std::vector<ggml_fp16_t> halves(8 * 32);
  const std::vector<float> weight = steps(halves.size(), -0.5F, 0.013F);
  ggml_fp32_to_fp16_row(weight.data(), halves.data(), static_cast<int64_t>(halves.size()));
  ggml_backend_tensor_set(product.weight.node, halves.data(), 0, ggml_nbytes(product.weight.node));
  plan.set(product.x, x);
  EXPECT_TRUE(plan.run());
  std::vector<float> y(x.size() / 32 * 8);
  plan.get(product.y, std::span<float>(y));
  return y;
}

TEST(SimDevice, RefusesAProductOfMoreThan1024Rows) {
  const auto device = open("sim:hexagon");
  EXPECT_EQ(device->refusal(Product(1024).y.node), "");
  EXPECT_EQ(device->refusal(Product(1025).y.node), "1025 rows in the second operand, at most 1024");
  EXPECT_TRUE(open("sim:hexagon-2026-11")->supports(Product(1025).y.node));  // the driver of today has no such limit
}

TEST(SimDevice, RefusesConvolutionsAndSine) {
  Graph g(64);
  const Tensor x = g.input("x", DType::f32, {16, 64});
  const Tensor kernel = g.input("kernel", DType::f16, {16, 16, 4});
  const auto old = open("sim:hexagon"), current = open("sim:hexagon-2026-11");
  ggml_tensor* sine = ggml_sin(g.context(), x.node);
  ggml_tensor* columns = ggml_im2col(g.context(), kernel.node, x.node, 1, 0, 0, 0, 1, 0, false, GGML_TYPE_F32);
  ggml_tensor* transposed = ggml_conv_transpose_1d(g.context(), kernel.node, x.node, 4, 0, 1);
  for (const ggml_tensor* node : {sine, transposed}) {
    EXPECT_EQ(old->refusal(node), "the operation is not implemented");
    EXPECT_EQ(current->refusal(node), "the operation is not implemented");
  }
  EXPECT_FALSE(old->supports(columns));
  EXPECT_TRUE(current->supports(columns));
}

TEST(SimDevice, ComputesWithItsRoundingAndCountsCallsCopiesAndProducts) {
  Product product(4);
  const std::vector<float> x = steps(4 * 32, 0.1F, 0.37F);
  const auto device = open("sim:hexagon-2026-11");
  auto plan = Plan::create(device, std::move(product.graph));
  ASSERT_TRUE(plan) << plan.error().message;
  const std::vector<float> y = run_product(*plan, product, x);
  for (const float value : y) EXPECT_EQ(value, ggml_fp16_to_fp32(ggml_fp32_to_fp16(value)));

  Product on_cpu(4);
  auto cpu_plan = Plan::create(*Device::cpu(kThreads), std::move(on_cpu.graph));
  const std::vector<float> expected = run_product(*cpu_plan, on_cpu, x);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-3 * std::abs(expected[i]) + 1e-6);

  const sim::Counters& counters = simulated(*device).counters();
  EXPECT_EQ(counters.graph_calls, 1);
  EXPECT_EQ(counters.ops.at("MUL_MAT"), 1);
  EXPECT_EQ(counters.multiply_adds, 4 * 8 * 32);
  EXPECT_EQ(counters.uploads, 2);
  EXPECT_EQ(counters.bytes_up, 8 * 32 * 2 + 4 * 32 * 4);
  EXPECT_EQ(counters.downloads, 1);
  EXPECT_EQ(counters.bytes_down, 4 * 8 * 4);
  EXPECT_NEAR(counters.overhead_ms(simulated(*device).profile()), 5.0, 0.01);
  EXPECT_EQ(device->coverage().device_calls, 1);
  EXPECT_EQ(device->coverage().device_macs, 4 * 8 * 32);
  EXPECT_EQ(device->coverage().cpu_macs, 0);
}

TEST(SimDevice, HidesItsMemoryFromTheCpu) {
  const auto device = open("sim:hexagon-2026-11");
  EXPECT_FALSE(device->info().host_visible);
  Product product(4);
  auto plan = Plan::create(device, std::move(product.graph));
  ASSERT_TRUE(plan);
  EXPECT_DEATH(static_cast<volatile float*>(product.y.node->data)[0] = 1.0F, "");
}

TEST(SimDevice, AStrictPartNamesTheRefusedNodeItsShapesAndTheReason) {
  Mixed mixed;
  const auto device = open("sim:hexagon", {.part = "codec", .strict = true});
  const auto plan = Plan::create(device, std::move(mixed.graph));
  ASSERT_FALSE(plan);
  EXPECT_EQ(
      plan.error().message,
      "codec: sim:hexagon refuses SIN \"wave\": [4, 32] f32 = SIN([4, 32] f32): the operation is not implemented");
  EXPECT_EQ(device->failure(), "");  // it works; it was asked for too much
}

TEST(SimDevice, OtherPartsRunRefusedNodesOnTheCpuAndCountThem) {
  for (const char* name : {"sim:hexagon", "sim:hexagon-2026-05-hidden", "sim:hexagon-2026-11"}) {
    Mixed mixed;
    const auto device = open(name, {.part = "codec"});
    auto plan = Plan::create(device, std::move(mixed.graph));
    ASSERT_TRUE(plan) << plan.error().message;
    const std::vector<float> x = steps(4 * 32, -2, 0.03F);
    for (int run = 0; run < 2; ++run) {
      plan->set(mixed.x, x);
      ASSERT_TRUE(plan->run());
      std::vector<float> y(x.size());
      plan->get(mixed.y, std::span<float>(y));
      for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], std::sin(2 * x[i]) + x[i], 1e-5);
    }
    const Coverage& coverage = device->coverage();
    EXPECT_EQ(coverage.num_graphs, 1);
    EXPECT_EQ(coverage.device_nodes, 2) << name;
    EXPECT_EQ(coverage.cpu_nodes, 1);
    ASSERT_EQ(coverage.refused.size(), 1U);
    EXPECT_EQ(coverage.refused[0].op, "SIN");
    EXPECT_EQ(coverage.refused[0].node, "wave");
    EXPECT_EQ(coverage.refused[0].count, 1);
    EXPECT_EQ(coverage.device_calls, 2 * 2);
    const sim::Counters& counters = simulated(*device).counters();
    EXPECT_EQ(counters.graph_calls, coverage.device_calls);
    EXPECT_EQ(counters.bytes_up, coverage.bytes_up) << name;
    EXPECT_EQ(counters.bytes_down, coverage.bytes_down) << name;
  }
}

TEST(SimDevice, RunsOutOfMemoryWithItsNameInTheError) {
  const auto device = open("sim:hexagon");
  simulated(*device).faults().memory_bytes = 4096;
  State state(1);
  state.add(DType::f32, {1024, 1024});
  const Status status = state.allocate(*device);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(status.error().message.find("sim:hexagon"), std::string::npos);
  EXPECT_NE(device->failure(), "");
}

TEST(SimDevice, FailsTheCallThatItIsToldTo) {
  Product product(4);
  const auto device = open("sim:hexagon");
  simulated(*device).faults().fail_call = 2;
  auto plan = Plan::create(device, std::move(product.graph));
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->run());
  const Status second = plan->run();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::device);
  EXPECT_EQ(second.error().message,
            "sim:hexagon: computing failed: GGML status: error (operation failed) (call 2 failed)");
  EXPECT_TRUE(plan->run());
}

TEST(SimDevice, FreesItsMemoryThoughTheBackendGoesFirst) {
  State state(1);
  state.add(DType::f32, {64, 64});
  {
    const auto device = open("sim:hexagon");
    ASSERT_TRUE(state.allocate(*device));
  }
  state.clear();
}

TEST(SimDevice, CanBeRegisteredAsADriverDoes) {
  sim::register_device(*sim::find_profile("hexagon"), "HTP7");
  const auto first = open("HTP7"), second = open("HTP7");
  Product product(4);
  auto plan = Plan::create(first, std::move(product.graph));
  ASSERT_TRUE(plan && plan->run());
  EXPECT_EQ(simulated(*first).counters().graph_calls, 1);
  EXPECT_EQ(simulated(*second).counters().graph_calls, 0);
  bool listed = false;
  for (const DeviceInfo& device : list_devices()) listed = listed || device.name == "HTP7";
  EXPECT_TRUE(listed);
}

TEST(SimDevice, AnUnknownNameListsTheKnownOnes) {
  const auto device = Device::open("HTP0", kThreads);
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("found \"HTP0\"; known devices: cpu, "), std::string::npos);
  EXPECT_NE(device.error().message.find("sim:hexagon-2026-05"), std::string::npos);
}

TEST(SimDevice, HoldsWeightsForTheCpuWhereItsMemoryIsVisible) {
  const auto visible = open("sim:hexagon", {.part = "codec", .weights = true});
  EXPECT_FALSE(visible->is_cpu());
  EXPECT_FALSE(visible->is_remote());
  EXPECT_EQ(visible->name(), "sim:hexagon:weights");
  EXPECT_STREQ(ggml_backend_buft_name(visible->weights_buffer_type()), "sim:hexagon");
  const auto hidden = (*Device::open("sim:hexagon-2026-11", kThreads))->for_part({.part = "codec", .weights = true});
  ASSERT_FALSE(hidden);
  EXPECT_NE(hidden.error().message.find("memory that the CPU can read in place"), std::string::npos);
}

}  // namespace
}  // namespace kazeia
