// The whole model on every accelerator that ggml finds, against the CPU, teacher-forced. Built where KAZEIA_VULKAN or
// another accelerator is on; ctest makes ggml take Mesa's software Vulkan driver for a device.
//
// links: kazeia_engine kazeia_test_support kazeia_accelerators
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compute/device.h"
#include "kazeia/engine.h"
#include "support/differences.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

constexpr const char* kModel = "random:tiny16:f32";
constexpr int kFrames = 6;
constexpr int kGroups = 16;
constexpr int kCodes = 2048;

// GPUs may multiply with f16 operands, whatever the weights: 2^-11 for each product, 40 products in a row, and what
// norms and softmax amplify.
constexpr double kBound = 2e-2;

std::vector<std::string> accelerators() {
  std::vector<std::string> names;
  for (const DeviceInfo& device : list_devices())
    if (device.type != "cpu") names.push_back(device.name);
  return names;
}

Result<Trace> trace_on(const std::string& placement) {
  KZ_TRY(const auto engine, Engine::load({.model = kModel, .num_threads = 1, .placement = placement}));
  std::mt19937 random(3);
  return engine->trace({.text = "Bonjour Kazeia"}, test::random_codes(kFrames * kGroups, kCodes, random));
}

void expect_close(const char* what, std::span<const float> found, std::span<const float> expected) {
  const double error = test::relative_error(found, expected);
  std::printf("  %-16s %.1e (bound %.1e)\n", what, error, kBound);
  EXPECT_LE(error, kBound) << what;
}

TEST(SecondBackend, TheWholeModelRunsThereAndAgreesWithTheCpu) {
  if (accelerators().empty()) GTEST_SKIP() << "ggml found no accelerator: no driver is installed";
  const auto expected = trace_on("");
  ASSERT_TRUE(expected) << expected.error().message;
  for (const std::string& name : accelerators()) {
    SCOPED_TRACE(name);
    const auto found = trace_on("all=" + name + ":strict");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->prompt_ids, expected->prompt_ids);
    expect_close("talker", found->talker_logits, expected->talker_logits);
    expect_close("code predictor", found->cp_logits, expected->cp_logits);
    expect_close("samples", found->pcm, expected->pcm);
  }
}

TEST(SecondBackend, SpeaksAndReportsWhatRanWhere) {
  if (accelerators().empty()) GTEST_SKIP() << "ggml found no accelerator: no driver is installed";
  const std::string device = accelerators().front();
  const auto engine = Engine::load({.model = kModel, .num_threads = 1, .placement = "all=" + device + ":strict"});
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report = (*engine)->synthesize({.text = "Bonjour", .seed = 1, .max_frames = 3},
                                            [](std::span<const float>) { return SinkAnswer::proceed; });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->num_frames, 3);
  for (const PartReport& part : report->placement) {
    EXPECT_EQ(part.device, device) << part.part << ": " << part.moved_because;
    EXPECT_EQ(part.cpu_nodes, 0) << part.part;
    EXPECT_GT(part.device_calls, 0) << part.part;
  }
}

}  // namespace
}  // namespace kazeia
