// What the pinned ggml's own Hexagon driver says of our graphs: hexagon/README.md.
// links: kazeia_engine kazeia_sim kazeia_hexagon_driver
#include <ggml-hexagon.h>
#include <gtest/gtest.h>

#include "compute/coverage.h"
#include "compute/sim/sim_device.h"
#include "kazeia/engine.h"

namespace kazeia {
namespace {

ggml_backend_dev_t hexagon() { return ggml_backend_reg_dev_get(ggml_backend_hexagon_reg(), 0); }

bool driver_supports(const ggml_tensor* node) { return ggml_backend_dev_supports_op(hexagon(), node); }

TEST(HexagonDriver, KnowsMatricesAndNoSine) {
  ASSERT_STREQ(ggml_backend_dev_name(hexagon()), "HTP0");
  GgmlContextPtr context(ggml_init({.mem_size = 64 * ggml_tensor_overhead(), .mem_buffer = nullptr, .no_alloc = true}));
  ggml_context* ctx = context.get();
  ggml_tensor* x = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 96, 7680);  // the rows of four frames at the last stage
  ggml_tensor* w = ggml_new_tensor_2d(ctx, GGML_TYPE_F16, 96, 96);
  ggml_tensor* kernel = ggml_new_tensor_3d(ctx, GGML_TYPE_F16, 8, 96, 96);
  ggml_tensor* channels = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 7680, 96);
  EXPECT_TRUE(driver_supports(ggml_mul_mat(ctx, w, x)));
  EXPECT_TRUE(driver_supports(ggml_top_k(ctx, x, 50)));
  EXPECT_FALSE(driver_supports(ggml_sin(ctx, x)));
  EXPECT_FALSE(driver_supports(ggml_floor(ctx, x)));
  EXPECT_FALSE(driver_supports(ggml_conv_transpose_1d(ctx, kernel, channels, 4, 0, 1)));
}

// Each node that runs on the simulated device of today's rules is put to the driver too.
TEST(HexagonDriver, SupportsEveryNodeThatTheSimulatedDeviceRuns) {
  const GgmlBackendPtr backend = sim::open(*sim::find_profile("hexagon-2026-11"), "HTP0", /*num_threads=*/1);
  int64_t num_nodes = 0;
  sim::find(backend.get())->observer() = [&](const ggml_tensor* node) {
    ++num_nodes;
    EXPECT_TRUE(driver_supports(node)) << describe_node(node);
  };
  const auto engine = Engine::load({.model = "random:tiny:q8_0",
                                    .num_threads = 1,
                                    .placement = "talker=HTP0 code_predictor=HTP0:strict codec=HTP0:strict",
                                    .backends = {{.name = "HTP0", .ggml_backend = backend.get()}}});
  ASSERT_TRUE(engine) << engine.error().message;
  const auto report = (*engine)->synthesize({.text = "Hello", .seed = 1, .max_frames = 6}, {});
  ASSERT_TRUE(report) << report.error().message;
  for (const PartReport& part : report->placement) {
    EXPECT_EQ(part.moved_because, "");
    EXPECT_GT(part.device_calls, 0) << part.part;
  }
  EXPECT_GT(num_nodes, 1000);
}

}  // namespace
}  // namespace kazeia
