// The whole model on every accelerator that ggml finds, against the CPU, teacher-forced. Built where KAZEIA_VULKAN or
// another accelerator is on; ctest makes ggml take Mesa's software Vulkan driver for a device.
//
// links: kazeia_engine kazeia_test_support kazeia_accelerators
#include <gtest/gtest.h>

#include <random>

#include "compute/device.h"
#include "kazeia/engine.h"
#include "support/differences.h"
#include "support/random_values.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

constexpr int kFrames = 2;
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

// All layers of a published model, but with so few rows (eight in the prompt, four samples a frame) and codec heads
// that ggml's Vulkan backend needs few of the shaders that compute products in tiles: a software driver compiles each
// of them for about a minute.
class SecondBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (accelerators().empty()) GTEST_SKIP() << "ggml found no accelerator: no driver is installed";
    test::write_tiny_checkpoint(folder_.path(), {.variant = "tiny16", .change = [](ModelConfig& config) {
                                                   config.speakers.clear();
                                                   config.codec.upsampling_ratios = {2};
                                                   config.codec.upsample_rates = {2};
                                                   config.codec.pre_transformer.num_heads = 1;
                                                   config.codec.pre_transformer.num_kv_heads = 1;
                                                 }});
  }

  Result<std::unique_ptr<Engine>> load(const std::string& placement) const {
    return Engine::load({.model = folder_.path(), .num_threads = 1, .placement = placement});
  }

  Result<Trace> trace_on(const std::string& placement) const {
    KZ_TRY(const auto engine, load(placement));
    std::mt19937 random(3);
    return engine->trace({.text = "Bonjour", .text_feed = Feed::streaming},
                         test::random_codes(kFrames * kGroups, kCodes, random));
  }

 private:
  test::TempFolder folder_;
};

void expect_close(const char* what, std::span<const float> found, std::span<const float> expected) {
  const double error = test::relative_error(found, expected);
  std::printf("  %-16s %.1e (bound %.1e)\n", what, error, kBound);
  EXPECT_LE(error, kBound) << what;
}

TEST_F(SecondBackend, TheWholeModelRunsThereAndAgreesWithTheCpu) {
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

TEST_F(SecondBackend, SpeaksAndReportsWhatRanWhere) {
  const std::string device = accelerators().front();
  const auto engine = load("all=" + device + ":strict");
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report =
      (*engine)->synthesize({.text = "Bonjour", .text_feed = Feed::streaming, .seed = 1, .max_frames = 3},
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
