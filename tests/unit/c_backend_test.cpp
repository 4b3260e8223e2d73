// A backend of the embedder's, lent to an engine through the C interface.
// links: kazeia_c_interface kazeia_sim
#include <gtest/gtest.h>
#include <kazeia/kazeia.h>

#include "compute/sim/sim_device.h"

namespace kazeia {
namespace {

kz_engine* load(const kz_backend& lent, const char* placement) {
  const kz_backend* const backends[] = {&lent};
  kz_engine_options options{};
  options.size = sizeof options;
  options.model = "random:tiny:q8_0";
  options.num_threads = 1;
  options.placement = placement;
  options.backends = backends;
  options.num_backends = 1;
  kz_engine* engine = nullptr;
  EXPECT_EQ(kz_engine_load(&options, &engine), KZ_OK) << kz_last_error();
  return engine;
}

int ignore_samples(const float*, size_t, void*) { return 1; }

std::vector<int32_t> speak(kz_engine* engine) {
  kz_request request{};
  request.size = sizeof request;
  request.text = "Hello";
  request.has_seed = 1;
  request.seed = 3;
  request.max_frames = 3;
  request.talker.draw = request.code_predictor.draw = KZ_DRAW_GREEDY;
  std::vector<int32_t> codes(256);
  kz_report report{};
  report.size = sizeof report;
  report.codes = codes.data();
  report.codes_capacity = codes.size();
  EXPECT_EQ(kz_synthesize(engine, &request, ignore_samples, nullptr, &report), KZ_OK) << kz_last_error();
  EXPECT_LE(report.num_codes, codes.size());
  codes.resize(std::min(report.num_codes, codes.size()));
  return codes;
}

TEST(CBackend, ALentBackendRunsThePartsThatArePlacedOnIt) {
  const GgmlBackendPtr device = sim::open(*sim::find_profile("hexagon-2026-11"), "HTP0", /*num_threads=*/1);
  const kz_backend lent{.size = sizeof(kz_backend), .name = "HTP0", .ggml_backend = device.get()};
  kz_engine* engine = load(lent, "code_predictor=HTP0:strict codec=HTP0");
  ASSERT_NE(engine, nullptr);
  const auto calls_at_load = sim::find(device.get())->counters().graph_calls;
  EXPECT_FALSE(speak(engine).empty());
  EXPECT_GT(sim::find(device.get())->counters().graph_calls, calls_at_load);
  kz_engine_free(engine);
  EXPECT_EQ(sim::find(device.get())->counters().allocated_bytes, 0U) << "the engine left memory on the device";
}

TEST(CBackend, ALentBackendThatNoPartNamesIsLeftAlone) {
  const GgmlBackendPtr device = sim::open(*sim::find_profile("hexagon-2026-11"), "HTP0", /*num_threads=*/1);
  const kz_backend lent{.size = sizeof(kz_backend), .name = "HTP0", .ggml_backend = device.get()};
  kz_engine* engine = load(lent, "all=cpu");
  ASSERT_NE(engine, nullptr);
  EXPECT_FALSE(speak(engine).empty());
  EXPECT_EQ(sim::find(device.get())->counters().graph_calls, 0U);
  kz_engine_free(engine);
}

}  // namespace
}  // namespace kazeia
