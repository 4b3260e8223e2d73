// The decoder against the official one, after every stage, on every golden checkpoint (tests/golden/README.md).
// links: kazeia_stage_codec kazeia_formats kazeia_npy
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/npy.h"
#include "formats/model_file.h"
#include "stages/codec/decoder.h"

namespace kazeia {
namespace {

// Of full scale, which is the largest value of a stage's golden tensor, and 1 for samples.
constexpr float kBound = 1e-4F;

const std::string kData = KAZEIA_SOURCE_DIR "/tests/golden/data/";

struct Golden {
  Shape shape;
  std::vector<float> values;
};

Golden golden(const std::string& file) {
  Golden g;
  Result<std::vector<float>> values = read_npy_f32(kData + file, g.shape);
  EXPECT_TRUE(values) << values.error().message;
  g.values = *std::move(values);
  return g;
}

std::vector<int32_t> golden_codes(const std::string& file) {
  Shape shape;
  Result<std::vector<int32_t>> codes = read_npy_i32(kData + file, shape);
  EXPECT_TRUE(codes) << codes.error().message;
  return *std::move(codes);
}

float max_abs(std::span<const float> values) {
  float largest = 0.0F;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

void expect_near(std::span<const float> found, std::span<const float> expected, float full_scale,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  float error = 0.0F;
  for (size_t i = 0; i < found.size(); ++i) error = std::max(error, std::abs(found[i] - expected[i]));
  EXPECT_LE(error, kBound * full_scale) << what;
  std::printf("  %-16s max abs error %.1e of full scale %.3g\n", what.c_str(), double{error / full_scale},
              double{full_scale});
}

const char* lowering_name(CodecLowering lowering) { return lowering == CodecLowering::fused ? "fused" : "portable"; }

class CodecGolden : public testing::TestWithParam<std::tuple<const char*, CodecLowering>> {
 protected:
  void SetUp() override {
    Result<ModelFile> model = open_model(kData + "checkpoints/" + checkpoint());
    ASSERT_TRUE(model) << model.error().message;
    config_ = model->config.codec;
    auto decoder = CodecDecoder::create(config_, model->tensors, *Device::cpu(1), std::get<1>(GetParam()));
    ASSERT_TRUE(decoder) << decoder.error().message;
    decoder_ = *std::move(decoder);
  }

  std::string checkpoint() const { return std::get<0>(GetParam()); }
  std::string folder() const { return checkpoint() + "/"; }

  std::vector<float> decode(std::span<const int32_t> codes, size_t chunk_frames) {
    const size_t step = chunk_frames * static_cast<size_t>(config_.num_quantizers);
    std::vector<float> samples;
    decoder_->reset();
    for (; !codes.empty(); codes = codes.subspan(std::min(step, codes.size()))) {
      const Status status = decoder_->push(codes.first(std::min(step, codes.size())), samples);
      EXPECT_TRUE(status) << status.error().message;
    }
    return samples;
  }

  CodecConfig config_;
  std::unique_ptr<CodecDecoder> decoder_;
};

TEST_P(CodecGolden, EveryStageAndTheSamplesOf31FramesAreTheOfficialOnes) {
  std::map<std::string, std::vector<float>> stages;
  decoder_->set_probe([&](const std::string& stage, std::span<const float> values) {
    stages[stage].insert(stages[stage].end(), values.begin(), values.end());
  });
  const std::vector<float> samples = decode(golden_codes(folder() + "full/codes.npy"), 31);
  ASSERT_EQ(stages.size(), 5 + config_.upsampling_ratios.size() + config_.upsample_rates.size());
  for (const auto& [stage, values] : stages) {
    Golden expected = golden(folder() + "codec/" + stage + ".npy");
    std::vector<float> found = values;
    if (expected.shape.num_dims() == 3) {  // only the first and the last of the 31 frames are stored
      const auto frame = static_cast<std::ptrdiff_t>(values.size() / 31);
      found.assign(values.begin(), values.begin() + frame);
      found.insert(found.end(), values.end() - frame, values.end());
    }
    // Stored before the clamp, which is the end of our last stage.
    if (stage == "wave_output")
      for (float& value : expected.values) value = std::clamp(value, -1.0F, 1.0F);
    expect_near(found, expected.values, max_abs(expected.values), stage);
  }
  expect_near(samples, golden(folder() + "codec/pcm_31.npy").values, 1.0F, "pcm_31");
}

TEST_P(CodecGolden, TheLastSamplesOf80FramesAreTheOfficialOnes) {
  const std::vector<float> samples = decode(golden_codes(folder() + "codec/codes_80.npy"), 80);
  ASSERT_EQ(samples.size(), static_cast<size_t>(80 * config_.samples_per_frame()));
  const Golden tail = golden(folder() + "codec/pcm_80_tail.npy");
  expect_near(std::span(samples).last(tail.values.size()), tail.values, 1.0F, "pcm_80");
}

TEST_P(CodecGolden, ChunksMakeNoDifferenceToASingleBit) {
  const std::vector<int32_t> codes = golden_codes(folder() + "codec/codes_80.npy");
  const std::vector<float> whole = decode(codes, 80);
  for (const size_t chunk : {1, 3, 8, 25}) {
    SCOPED_TRACE(chunk);
    EXPECT_EQ(decode(codes, chunk), whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, CodecGolden,
                         testing::Combine(testing::Values("tiny", "tiny-mtp", "tiny-4x512"),
                                          testing::Values(CodecLowering::portable, CodecLowering::fused)),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param);
                           name += std::string("_") + lowering_name(std::get<1>(test.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace kazeia
