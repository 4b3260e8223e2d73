// links: kazeia_apps kazeia_test_support
// The bench's arithmetic: what a frame costs, and what fraction of the machine a stage reached.
#include <gtest/gtest.h>

#include "cli/bench_peaks.h"
#include "cli/bench_report.h"
#include "cli/inspect_model.h"
#include "formats/frame_cost.h"

namespace kazeia {
namespace {

// The codec of the published models, by their config.
ModelConfig published_codec() {
  ModelConfig config;
  config.codec.pre_transformer = {.hidden_size = 512,
                                  .intermediate_size = 1024,
                                  .num_layers = 8,
                                  .num_heads = 16,
                                  .num_kv_heads = 16,
                                  .head_size = 64};
  config.codec.sliding_window = 72;
  config.codec.num_quantizers = 16;
  config.codec.codebook_size = 2048;
  config.codec.codebook_dim = 512;
  config.codec.latent_dim = 1024;
  config.codec.decoder_dim = 1536;
  config.codec.upsampling_ratios = {2, 2};
  config.codec.upsample_rates = {8, 5, 4, 3};
  return config;
}

TEST(BenchCost, the_published_codec_takes_2481_million_multiply_adds_a_frame) {
  EXPECT_NEAR(codec_multiply_adds(published_codec()) / 1e9, 2.481, 0.0005);
}

TEST(BenchCost, weights_are_counted_once_for_each_pass) {
  const auto file = open_any_model("random:tiny:f32");
  ASSERT_TRUE(file) << file.error().message;
  const FrameCost cost = frame_cost(file->config, *file->tensors);
  // f32: four bytes for each multiply-add of the talker's single row.
  EXPECT_GT(cost.talker.multiply_adds, 0);
  EXPECT_DOUBLE_EQ(cost.talker.weight_bytes, 4 * cost.talker.multiply_adds);
  // The code predictor's first pass has two rows: fewer bytes than rows.
  EXPECT_GT(4 * cost.code_predictor.multiply_adds, cost.code_predictor.weight_bytes);
  EXPECT_DOUBLE_EQ(cost.codec().multiply_adds, codec_multiply_adds(file->config));
}

TEST(BenchReport, fractions_are_of_the_measured_peaks) {
  BenchResult result;
  result.report.num_frames = 10;
  result.report.times.talker_ms = 100;  // 10 ms a frame
  result.cost.talker = {.weight_bytes = 100e6, .multiply_adds = 50e6};
  result.peaks.read_gb_per_s = 20;
  result.peaks.compute = {{"f32 FMA", "test", 100}};
  const StageFigures talker = stage_figures(result).front();
  EXPECT_DOUBLE_EQ(talker.ms_per_frame, 10);
  EXPECT_DOUBLE_EQ(talker.read_gb_per_s, 10);
  EXPECT_DOUBLE_EQ(talker.read_fraction, 0.5);
  EXPECT_DOUBLE_EQ(talker.gflops, 10);
  EXPECT_DOUBLE_EQ(talker.flop_fraction, 0.1);
}

TEST(BenchReport, a_run_without_frames_or_peaks_divides_by_nothing) {
  const BenchResult empty;
  EXPECT_EQ(bench_text(empty).find("nan"), std::string::npos);
  EXPECT_EQ(bench_text(empty).find("inf"), std::string::npos);
  EXPECT_EQ(bench_json(empty).find("null,\n  \"stages\""), std::string::npos);
}

TEST(BenchPeaks, a_machine_reads_and_multiplies) {
  const Peaks peaks =
      measure_peaks(/*num_threads=*/1, /*last_level_cache_bytes=*/1 << 20, /*free_memory_bytes=*/1 << 28);
  EXPECT_GT(peaks.read_gb_per_s, 0.05);
  EXPECT_LT(peaks.read_gb_per_s, 10'000);
  EXPECT_EQ(peaks.compute.size(), 3U);
  if (peaks.compute[0].instruction != "none") {
    EXPECT_GT(peaks.gflops("f32 FMA"), 0.1);
  }
  EXPECT_LT(peaks.gflops("f32 FMA"), 100'000);
}

}  // namespace
}  // namespace kazeia
