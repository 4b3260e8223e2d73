// The projection by the CPU's kernels against the graphs, its oracle, on the same quantised weights.
// links: kazeia_engine
// processors: 2

#include "stages/talker/text_projection.h"

#include <gtest/gtest.h>

#include "formats/model_file.h"
#include "support/differences.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

std::vector<float> random_rows(size_t num_rows, int width, uint32_t seed) {
  std::mt19937 random(seed);
  return test::random_values(static_cast<int64_t>(num_rows) * width, 2.0F, random);
}

std::vector<float> project(TextProjection& projection, std::span<const float> rows, int text_width) {
  std::vector<float> out(rows.size() / static_cast<size_t>(text_width) * static_cast<size_t>(projection.width()));
  EXPECT_TRUE(projection.run(rows, out));
  return out;
}

class TextProjectionTest : public testing::TestWithParam<const char*> {};

TEST_P(TextProjectionTest, KernelsAgreeWithTheGraph) {
  const auto model = make_random_model(GetParam(), /*seed=*/3);
  ASSERT_TRUE(model) << model.error().message;
  const int text_width = model->config.talker.text_hidden_size;
  ASSERT_TRUE(packed_text_projection_fits(*model->tensors));
  for (const int num_threads : {1, 2, 3}) {
    const auto device = Device::cpu(num_threads);
    const auto packed = create_packed_text_projection(*model->tensors, *device);
    const auto graph = create_graph_text_projection(model->tensors, *device);
    ASSERT_TRUE(packed && graph);
    for (const size_t num_rows : {1, 2, 7, 70}) {  // the text of a frame, prompts, a text longer than a batch
      const auto rows = random_rows(num_rows, text_width, static_cast<uint32_t>(num_rows));
      // Equal integers; float sums in another order, and now and then an activation on the edge between two steps of
      // its quantisation (1/127 of a group's largest value).
      EXPECT_LE(test::relative_error(project(**packed, rows, text_width), project(**graph, rows, text_width)), 2e-3)
          << num_threads << " threads, " << num_rows << " rows";
    }
  }
}

TEST_P(TextProjectionTest, ARowHasTheSameBitsWhateverTheOtherRowsAre) {
  const auto model = make_random_model(GetParam(), /*seed=*/4);
  const int text_width = model->config.talker.text_hidden_size;
  const auto projection = create_packed_text_projection(*model->tensors, *Device::cpu(2));
  ASSERT_TRUE(projection);
  const auto rows = random_rows(70, text_width, 1);
  std::vector<float> single;
  for (size_t at = 0; at < rows.size(); at += static_cast<size_t>(text_width)) {
    const auto row = project(**projection, std::span(rows).subspan(at, static_cast<size_t>(text_width)), text_width);
    single.insert(single.end(), row.begin(), row.end());
  }
  EXPECT_EQ(project(**projection, rows, text_width), single);
}

INSTANTIATE_TEST_SUITE_P(Types, TextProjectionTest, testing::Values("tiny:q8_0", "tiny:q4_0"));

}  // namespace
}  // namespace kazeia
