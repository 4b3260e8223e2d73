// Talker, code predictor and whole runs against the official float32 code (tests/golden/README.md), with the
// checkpoints' bf16 weights widened to f32, as the official code does it.

// links: kazeia_engine kazeia_convert kazeia_npy nlohmann_json::nlohmann_json
// processors: 2
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cli/convert_model.h"
#include "engine/model.h"
#include "engine/request.h"
#include "golden/golden_data.h"
#include "kazeia/engine.h"
#include "stages/talker/text_embedder.h"

namespace kazeia {
namespace {

using golden::floats;
using golden::ints;
using golden::max_abs;
using golden::max_abs_diff;

// Of the largest value of a tensor: rounding of float sums in another order, through a few layers.
constexpr float kBound = 1e-4F;
// Absolute, for embeddings: two matrices and one sum.
constexpr float kEmbeddingBound = 1e-5F;

struct Case {
  std::string checkpoint;
  Feed feed;
  std::string folder() const { return checkpoint + (feed == Feed::full ? "/full/" : "/streaming/"); }
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.folder(); }

class TalkerGolden : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("kazeia-golden-" + std::to_string(getpid()) + "-" + GetParam().checkpoint + ".gguf");
    const auto made = convert_model(golden::data_path("checkpoints/" + GetParam().checkpoint), path_, StorageType::f32);
    ASSERT_TRUE(made) << made.error().message;
    const auto asked = golden::manifest(GetParam().checkpoint).at("request");
    request_.text = asked.at("text");
    request_.voice = asked.at("speaker");
    request_.language = asked.at("language");
    request_.text_feed = GetParam().feed;
    request_.talker.sample = false;
    request_.code_predictor.sample = false;
    request_.seed = 1;
    request_.max_frames = 31;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::unique_ptr<Model> load_model() {
    auto placement = Placement::parse("", /*num_threads=*/2);
    auto model = Model::load(path_, *placement);
    EXPECT_TRUE(model) << model.error().message;
    return *std::move(model);
  }
  std::vector<float> expected(const char* name) { return floats(GetParam().folder() + name); }

  std::string path_;
  Request request_;
};

std::vector<float> part(const std::vector<float>& values, size_t index, size_t size) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(index * size);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

TEST_P(TalkerGolden, PromptAndTextEmbeddingsEqualTheOfficialOnes) {
  const auto model = load_model();
  const auto prepared = prepare(*model, request_);
  ASSERT_TRUE(prepared) << prepared.error().message;
  std::vector<int32_t> prompt_ids;
  for (const PromptRow& row : prepared->pieces.at(0).prompt.rows)
    prompt_ids.insert(prompt_ids.end(), {row.text_id, row.codec_id});
  EXPECT_EQ(prompt_ids, ints(GetParam().folder() + "prompt_ids"));
  const auto rows = model->talker->embed_prompt(prepared->pieces.at(0).prompt);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_LE(max_abs_diff(*rows, expected("prompt_embeds")), kEmbeddingBound);

  auto placement = Placement::parse("", 2);
  auto embedder = TextEmbedder::create(model->file.tensors, placement->talker);
  std::vector<float> trailing, pad;
  ASSERT_TRUE(embedder->embed(prepared->pieces.at(0).prompt.trailing_text_ids, trailing));
  const int32_t pad_id = prepared->pieces.at(0).prompt.pad_text_id;
  ASSERT_TRUE(embedder->embed(std::span(&pad_id, 1), pad));
  EXPECT_LE(max_abs_diff(trailing, expected("trailing_embeds")), kEmbeddingBound);
  EXPECT_LE(max_abs_diff(pad, expected("pad_embed")), kEmbeddingBound);
}

TEST_P(TalkerGolden, EveryLayerOfThePrefillAgrees) {
  const auto model = load_model();
  const auto prepared = prepare(*model, request_);
  const auto num_layers = static_cast<size_t>(model->file.config.talker.stack.num_layers);
  const std::vector<float> layers = expected("prefill_layers");
  size_t compared = 0;
  model->talker->set_probe([&](int layer, std::span<const float> values) {
    const auto index = static_cast<size_t>(layer);
    if (index >= num_layers) return;
    const std::vector<float> golden_layer = part(layers, index, layers.size() / num_layers);
    EXPECT_LE(max_abs_diff(values, golden_layer), kBound * max_abs(golden_layer)) << "layer " << layer;
    ++compared;
  });
  TalkerOutput out;
  ASSERT_TRUE(model->talker->begin(prepared->pieces.at(0).prompt, out));
  EXPECT_EQ(compared, num_layers);
}

TEST_P(TalkerGolden, TeacherForcedLogitsOfTalkerAndCodePredictorAgree) {
  const auto model = load_model();
  const auto prepared = prepare(*model, request_);
  const auto num_groups = static_cast<size_t>(model->file.config.talker.num_code_groups);
  const std::vector<int32_t> codes = ints(GetParam().folder() + "codes");
  const std::vector<float> hidden = expected("step_hidden");
  const std::vector<float> logits = expected("talker_logits");
  const bool has_cp = GetParam().feed == Feed::full;
  const std::vector<float> cp_logits = has_cp ? expected("cp_logits") : std::vector<float>{};
  const size_t num_frames = codes.size() / num_groups;
  ASSERT_EQ(num_frames, 31U);

  TalkerOutput state;
  CodeFrame frame;
  ASSERT_TRUE(model->talker->begin(prepared->pieces.at(0).prompt, state));
  for (size_t t = 0; t < num_frames; ++t) {
    const auto given = std::span(codes).subspan(t * num_groups, num_groups);
    EXPECT_LE(max_abs_diff(state.hidden, part(hidden, t, state.hidden.size())), kBound * max_abs(hidden))
        << "step " << t;
    if ((t + 1) * state.logits.size() <= logits.size()) {
      EXPECT_LE(max_abs_diff(state.logits, part(logits, t, state.logits.size())), kBound * max_abs(logits))
          << "step " << t;
    }
    const auto pick = [&](int group, std::span<const float> found) {
      const size_t index = t * (num_groups - 1) + static_cast<size_t>(group) - 1;
      if (has_cp) {
        EXPECT_LE(max_abs_diff(found, part(cp_logits, index, found.size())), kBound * max_abs(cp_logits))
            << "frame " << t << " group " << group;
      }
      return given[static_cast<size_t>(group)];
    };
    ASSERT_TRUE(model->code_predictor->predict(state.hidden, given[0], pick, frame));
    ASSERT_TRUE(model->talker->step(given, state));
  }
}

TEST_P(TalkerGolden, GreedyCodesOf31FramesAreEqual) {
  const auto engine = Engine::load({.model = path_, .num_threads = 2});
  ASSERT_TRUE(engine) << engine.error().message;
  const auto run = [&](std::optional<float> penalty) {
    request_.talker.repetition_penalty = penalty;
    auto report = (*engine)->synthesize(request_, {});
    EXPECT_TRUE(report) << report.error().message;
    return report->codes;
  };
  EXPECT_EQ(run({}), ints(GetParam().folder() + "codes"));
  EXPECT_EQ(run(1.0F), ints(GetParam().folder() + "codes_no_penalty"));
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, TalkerGolden,
                         testing::Values(Case{"tiny", Feed::full}, Case{"tiny", Feed::streaming},
                                         Case{"tiny-mtp", Feed::full}, Case{"tiny-mtp", Feed::streaming},
                                         Case{"tiny-4x512", Feed::full}, Case{"tiny-4x512", Feed::streaming}));

}  // namespace
}  // namespace kazeia
