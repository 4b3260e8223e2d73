// Devices that run out of memory, fail, vanish or lie: the error names them, and the engine goes on on the CPU.
// links: kazeia_engine kazeia_sim
#include <gtest/gtest.h>

#include "compute/sim/sim_device.h"
#include "kazeia/engine.h"

namespace kazeia {
namespace {

constexpr const char* kName = "HTP0";

// A device that is lent to engines, and outlives them.
class DeviceFaults : public testing::TestWithParam<const char*> {
 protected:
  // The part under test on the device.
  std::string placement(const std::string& options = "") const {
    return std::string(GetParam()) + "=" + kName + options;
  }
  Result<std::unique_ptr<Engine>> load(const std::string& spec) {
    return Engine::load({.model = "random:tiny:q8_0",
                         .num_threads = 1,
                         .placement = spec,
                         .backends = {{.name = kName, .ggml_backend = backend_.get()}}});
  }
  sim::SimDevice& device() { return *sim::find(backend_.get()); }
  const PartReport& part(const Report& report) const {
    for (const PartReport& part : report.placement)
      if (part.part == GetParam()) return part;
    ADD_FAILURE();
    return report.placement.front();
  }
  void TearDown() override { EXPECT_EQ(device().counters().allocated_bytes, 0U) << "device memory is leaked"; }

 private:
  GgmlBackendPtr backend_ = sim::open(*sim::find_profile("hexagon-2026-11"), kName, /*num_threads=*/1);
};

Result<Report> speak(Engine& engine) {
  Request request{.text = "Hello", .seed = 3, .max_frames = 3};
  request.talker.sample = request.code_predictor.sample = false;
  return engine.synthesize(request, {});
}

std::vector<int32_t> codes_on_the_cpu() {
  const auto engine = Engine::load({.model = "random:tiny:q8_0", .num_threads = 1, .placement = "all=cpu"});
  return speak(**engine)->codes;
}

TEST_P(DeviceFaults, ALentBackendRunsThePart) {
  const auto engine = load(placement());
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report = speak(**engine);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(part(*report).device, kName);
  EXPECT_GT(part(*report).device_calls, 0);
  EXPECT_LT(*part(*report).self_check_difference, 0.1);
}

TEST_P(DeviceFaults, OutOfMemoryAtLoadMovesThePartToTheCpu) {
  device().faults().memory_bytes = 32 << 10;
  const auto engine = load(placement());
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report = speak(**engine);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(part(*report).device, "cpu");
  EXPECT_EQ(part(*report).moved_from, kName);
  EXPECT_NE(part(*report).moved_because.find("can't allocate"), std::string::npos) << part(*report).moved_because;
  EXPECT_EQ(report->codes, codes_on_the_cpu());
}

TEST_P(DeviceFaults, OutOfMemoryOfAStrictPartIsAnError) {
  device().faults().memory_bytes = 32 << 10;
  const auto engine = load(placement(":strict"));
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::out_of_memory) << engine.error().message;
  EXPECT_NE(engine.error().message.find(kName), std::string::npos) << engine.error().message;
}

TEST_P(DeviceFaults, AFailingCallIsAnErrorAndTheNextSpeechRunsOnTheCpu) {
  const auto engine = load(placement());
  ASSERT_TRUE(engine) << engine.error().message;
  device().faults().fail_call = device().counters().graph_calls + 2;
  const auto failed = speak(**engine);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::device);
  EXPECT_NE(failed.error().message.find(kName), std::string::npos) << failed.error().message;
  const auto next = speak(**engine);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(part(*next).device, "cpu");
  EXPECT_NE(part(*next).moved_because.find("computing failed"), std::string::npos);
  EXPECT_EQ(next->codes, codes_on_the_cpu());
}

TEST_P(DeviceFaults, AVanishedDeviceIsAnErrorAndTheNextSpeechRunsOnTheCpu) {
  const auto engine = load(placement());
  ASSERT_TRUE(engine) << engine.error().message;
  ASSERT_TRUE(speak(**engine));
  device().faults().vanished = true;
  const auto failed = speak(**engine);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find(kName), std::string::npos) << failed.error().message;
  const auto next = speak(**engine);
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->codes, codes_on_the_cpu());
}

TEST_P(DeviceFaults, ALyingDeviceIsFoundAtStart) {
  device().faults().wrong_by = 0.5F;
  const auto engine = load(placement());
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report = speak(**engine);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(part(*report).device, "cpu");
  EXPECT_NE(part(*report).moved_because.find("self-check"), std::string::npos) << part(*report).moved_because;
  EXPECT_GT(*part(*report).self_check_difference, 0.1);

  const auto strict = load(placement(":strict"));
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.error().message.find("self-check"), std::string::npos) << strict.error().message;
}

INSTANTIATE_TEST_SUITE_P(Parts, DeviceFaults, testing::Values("talker", "code_predictor", "codec"),
                         [](const auto& part) { return std::string(part.param); });

}  // namespace
}  // namespace kazeia
