// Where the parts of a model run: the placement's words, the first engine's switches, coverage, the cost model.
// links: kazeia_apps kazeia_sim
#include "compute/placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cli/environment.h"
#include "compute/cost_model.h"
#include "compute/sim/sim_device.h"
#include "engine/default_placement.h"
#include "formats/model_file.h"
#include "kazeia/engine.h"

namespace kazeia {
namespace {

constexpr const char* kModel = "random:tiny:q8_0";
constexpr const char* kHexagonIsSimulated = " device:HTP0=sim:hexagon";

Placement parsed(const std::string& spec) {
  auto placement = Placement::parse(spec, /*num_threads=*/1);
  EXPECT_TRUE(placement) << placement.error().message;
  return *std::move(placement);
}

std::string refused(const std::string& spec) {
  const auto placement = Placement::parse(spec, 1);
  EXPECT_FALSE(placement) << spec;
  return placement ? "" : placement.error().message;
}

TEST(Placement, WhatIsNotNamedRunsOnTheCpu) {
  const Placement placement = parsed("codec=sim:hexagon");
  EXPECT_TRUE(placement.talker->is_cpu());
  EXPECT_TRUE(placement.code_predictor->is_cpu());
  EXPECT_EQ(placement.codec->name(), "sim:hexagon");
  EXPECT_EQ(placement.codec_wave, nullptr);
  EXPECT_FALSE(placement.is_on_cpu(ModelPart::codec_wave));  // it is where the codec is
}

TEST(Placement, OptionsFollowTheDevice) {
  const Placement placement = parsed("talker=sim:hexagon-2026-11:strict codec=sim:hexagon:weights codec.wave=cpu");
  EXPECT_TRUE(placement.talker->is_strict());
  EXPECT_EQ(placement.talker->name(), "sim:hexagon-2026-11");
  EXPECT_FALSE(placement.codec->is_strict());
  EXPECT_EQ(placement.codec->name(), "sim:hexagon:weights");
  EXPECT_TRUE(placement.is_on_cpu(ModelPart::codec_wave));
}

TEST(Placement, TheLastWordForAPartCounts) {
  const Placement placement = parsed("all=sim:hexagon codec=cpu");
  EXPECT_EQ(placement.talker->name(), "sim:hexagon");
  EXPECT_TRUE(placement.codec->is_cpu());
}

TEST(Placement, PartsOnOneDeviceShareItAndHaveTheirOwnRecords) {
  const Placement placement = parsed("talker=sim:hexagon codec=sim:hexagon");
  EXPECT_EQ(placement.talker->backend(), placement.codec->backend());
  EXPECT_NE(&placement.talker->coverage(), &placement.codec->coverage());
}

TEST(Placement, NothingUnknownIsIgnored) {
  EXPECT_NE(refused("wave=cpu").find("codec.wave"), std::string::npos);
  EXPECT_NE(refused("codec").find("found \"codec\""), std::string::npos);
  EXPECT_NE(refused("codec=").find("found \"codec=\""), std::string::npos);
  EXPECT_NE(refused("codec=HTP9").find("found \"HTP9\"; known devices: cpu, "), std::string::npos);
  EXPECT_NE(refused("codec=sim:hexagon:fast").find("sim:hexagon:fast"), std::string::npos);
}

TEST(Placement, WeightsInHiddenMemoryGoToTheCpuUnlessStrict) {
  const Placement placement = parsed("codec=sim:hexagon-2026-11:weights");
  EXPECT_TRUE(placement.codec->is_cpu());
  ASSERT_EQ(placement.moves.size(), 1U);
  EXPECT_NE(placement.moves[0].reason.find("memory that the CPU can read in place"), std::string::npos);
  EXPECT_NE(refused("codec=sim:hexagon-2026-11:weights:strict"), "");
}

// ---- the first engine's switches, each on the simulated device

struct Spoken {
  Report report;
  std::vector<float> samples;

  const PartReport& part(const std::string& name) const {
    for (const PartReport& part : report.placement)
      if (part.part == name) return part;
    ADD_FAILURE() << name << " is not in the report";
    return report.placement.front();
  }
};

Spoken speak(const std::string& placement) {
  const auto engine = Engine::load({.model = kModel, .num_threads = 1, .placement = placement});
  EXPECT_TRUE(engine) << engine.error().message;
  Spoken spoken;
  Request request{.text = "Hello", .seed = 3, .max_frames = 3};
  request.talker.sample = request.code_predictor.sample = false;
  auto report = (*engine)->synthesize(request, [&](std::span<const float> samples) {
    spoken.samples.insert(spoken.samples.end(), samples.begin(), samples.end());
    return SinkAnswer::proceed;
  });
  EXPECT_TRUE(report) << report.error().message;
  spoken.report = *std::move(report);
  return spoken;
}

Spoken speak_with_switches(const std::map<std::string, std::string>& switches) {
  const Environment environment = read_environment([&](const char* name) -> const char* {
    const auto found = switches.find(name);
    return found == switches.end() ? nullptr : found->second.c_str();
  });
  return speak(environment.placement + kHexagonIsSimulated);
}

TEST(FirstEngineSwitches, NoneRunsEverythingOnTheCpu) {
  for (const PartReport& part : speak_with_switches({}).report.placement) {
    EXPECT_EQ(part.device, "cpu");
    EXPECT_EQ(part.device_calls, 0);
  }
}

TEST(FirstEngineSwitches, DecoderHtpKeepsWeightsOnTheDeviceAndComputesOnTheCpu) {
  const PartReport codec = speak_with_switches({{"KZTTS_DECODER_HTP", "1"}}).part("codec");
  EXPECT_EQ(codec.device, "sim:hexagon:weights");
  EXPECT_GT(codec.weight_bytes, 0);
  EXPECT_EQ(codec.device_calls, 0);
  EXPECT_EQ(codec.bytes_up + codec.bytes_down, 0);
  EXPECT_GT(codec.cpu_multiply_adds, 0);
  EXPECT_LT(*codec.self_check_difference, 0.01);
}

TEST(FirstEngineSwitches, DecoderSchedRunsOnTheDevice) {
  const PartReport codec =
      speak_with_switches({{"KZTTS_DECODER_HTP", "1"}, {"KZTTS_DECODER_SCHED", "1"}}).part("codec");
  EXPECT_EQ(codec.device, "sim:hexagon");
  EXPECT_EQ(codec.moved_because, "");
  EXPECT_GT(codec.device_calls, 0);
  EXPECT_GT(codec.device_multiply_adds, 9 * codec.cpu_multiply_adds);
}

TEST(FirstEngineSwitches, CpHtpKeepsWeightsOnTheDeviceAndComputesOnTheCpu) {
  const PartReport predictor = speak_with_switches({{"KZTTS_CP_HTP", "1"}}).part("code_predictor");
  EXPECT_EQ(predictor.device, "sim:hexagon:weights");
  EXPECT_GT(predictor.weight_bytes, 0);
  EXPECT_EQ(predictor.device_calls, 0);
  EXPECT_GT(predictor.cpu_multiply_adds, 0);
}

TEST(FirstEngineSwitches, CpSchedRunsOnTheDeviceWithAndWithoutTheCache) {
  for (const char* cache : {"0", "1"}) {
    const PartReport predictor =
        speak_with_switches({{"KZTTS_CP_HTP", "1"}, {"KZTTS_CP_SCHED", "1"}, {"KZTTS_CP_CACHE", cache}})
            .part("code_predictor");
    EXPECT_EQ(predictor.device, "sim:hexagon");
    EXPECT_EQ(predictor.moved_because, "");
    EXPECT_GT(predictor.device_calls, 0);
    EXPECT_GT(predictor.device_multiply_adds, predictor.cpu_multiply_adds);
  }
}

TEST(PlacedParts, AllPartsAtOnceSpeakAsManySamples) {
  const Spoken everywhere = speak("all=sim:hexagon-2026-11");
  EXPECT_EQ(everywhere.samples.size(), speak("").samples.size());
  for (const char* part : {"talker", "code_predictor", "codec"}) {
    EXPECT_EQ(everywhere.part(part).moved_because, "") << part;
    EXPECT_GT(everywhere.part(part).device_calls, 0) << part;
    EXPECT_GT(everywhere.part(part).estimated_ms, 0) << part;
  }
}

TEST(PlacedParts, TheWaveDecoderCanBePlacedWithoutTheRestOfTheCodec) {
  const Spoken alone = speak("codec.wave=sim:hexagon:strict"), rest = speak("codec=sim:hexagon:strict codec.wave=cpu");
  EXPECT_EQ(alone.part("codec").device, "cpu");
  EXPECT_GT(alone.part("codec.wave").device_calls, 0);
  EXPECT_EQ(alone.part("codec.wave").cpu_multiply_adds, 0);
  EXPECT_EQ(rest.part("codec.wave").device, "cpu");
  EXPECT_GT(rest.part("codec").device_calls, 0);
  EXPECT_LT(rest.part("codec").device_multiply_adds, alone.part("codec.wave").device_multiply_adds);
}

TEST(StrictPlacement, ARefusedNodeStopsTheLoadAndIsNamed) {
  sim::Profile profile = *sim::find_profile("hexagon-2026-11");
  std::erase_if(profile.rules, [](const sim::OpRule& rule) { return rule.op == GGML_OP_SOFT_MAX; });
  const GgmlBackendPtr backend = sim::open(profile, "lame", /*num_threads=*/1);
  EngineOptions options{.model = kModel, .num_threads = 1, .placement = "talker=lame:strict"};
  options.backends = {{.name = "lame", .ggml_backend = backend.get()}};
  const auto strict = Engine::load(options);
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().code, ErrorCode::unsupported);
  EXPECT_NE(strict.error().message.find("talker: lame refuses SOFT_MAX"), std::string::npos) << strict.error().message;
  EXPECT_NE(strict.error().message.find("the operation is not implemented"), std::string::npos);

  options.placement = "talker=lame";
  const auto split = Engine::load(options);
  ASSERT_TRUE(split) << split.error().message;
  const auto report = (*split)->synthesize({.text = "Hello", .seed = 3, .max_frames = 2}, {});
  ASSERT_TRUE(report) << report.error().message;
  const PartReport& talker = report->placement.front();
  EXPECT_EQ(talker.device, "lame");
  EXPECT_GT(talker.cpu_nodes, 0);
  ASSERT_FALSE(talker.refused.empty());
  for (const RefusedNode& refused : talker.refused) EXPECT_EQ(refused.op, "SOFT_MAX");
}

// ---- the cost model

TEST(CostModel, AddsCallsCopiesAndTheSlowerOfComputingAndReading) {
  const DeviceFigures figures{.ms_per_call = 5, .copy_gb_per_s = 1, .gmac_per_s = 100, .weights_gb_per_s = 10};
  EXPECT_DOUBLE_EQ(estimate_ms(figures, {.calls = 15}), 75);
  EXPECT_DOUBLE_EQ(estimate_ms(figures, {.copied_bytes = 2e6}), 2);
  EXPECT_DOUBLE_EQ(estimate_ms(figures, {.multiply_adds = 1e9, .weight_bytes = 50e6}), 10);
  EXPECT_DOUBLE_EQ(estimate_ms(figures, {.multiply_adds = 1e6, .weight_bytes = 50e6}), 5);
}

TEST(CostModel, TheDefaultPlacementIsTheCheapestOrTheCpu) {
  const auto full = make_random_model("0.6b:q8_0", 1), tiny = make_random_model("tiny:q8_0", 1);
  ASSERT_TRUE(full && tiny);
  const auto choose = [](const ModelFile& model, const std::vector<DeviceInfo>& devices) {
    return cheapest_placement(model.config, *model.tensors, /*num_threads=*/2, devices);
  };
  DeviceInfo hexagon, unknown;
  hexagon.name = "HTP0";
  unknown.name = "Vulkan0";
  constexpr const char* kCpu = "talker=cpu code_predictor=cpu codec=cpu";
  EXPECT_EQ(choose(*full, {}).spec, kCpu);
  EXPECT_EQ(choose(*full, {unknown}).spec, kCpu);  // no speeds are stated for it
  EXPECT_EQ(choose(*tiny, {hexagon}).spec, kCpu);  // one call takes longer than the whole frame on the CPU
  EXPECT_EQ(choose(*full, {hexagon}).spec, "talker=HTP0 code_predictor=HTP0 codec=HTP0");
  EXPECT_LT(choose(*full, {hexagon}).ms_per_frame, choose(*full, {}).ms_per_frame);
}

}  // namespace
}  // namespace kazeia
