// Long texts on a model that wants short ones: pieces one after the other in one stream.
#include <gtest/gtest.h>

#include "kazeia/engine.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

constexpr const char* kText = "Hello there. I have 3 cats, and they are black! Goodbye.";

class EnginePieces : public testing::Test {
 protected:
  void SetUp() override {
    test::write_tiny_checkpoint(folder.path(), {.change = [](ModelConfig& config) {
                                  config.text = {.spell_out = true, .max_sentence_codepoints = 24};
                                  config.speakers.back().language = "english";
                                }});
    auto loaded = Engine::load({.model = folder.path(), .num_threads = 1});
    ASSERT_TRUE(loaded) << loaded.error().message;
    engine = *std::move(loaded);
  }

  // Ends are drawn early: nearly uniform scores over the whole vocabulary.
  static Request request() {
    Request r;
    r.text = kText;
    r.language = "english";
    r.seed = 5;
    r.talker.temperature = 1000.0F;
    r.talker.top_k = 0;
    r.silence_limit_ms = 0;
    return r;
  }

  test::TempFolder folder;
  std::unique_ptr<Engine> engine;
  std::vector<float> samples;
  AudioSink collect = [this](std::span<const float> part) {
    samples.insert(samples.end(), part.begin(), part.end());
    return SinkAnswer::proceed;
  };
};

TEST_F(EnginePieces, every_piece_is_said_in_order_and_the_codes_decode_to_the_same_samples) {
  const auto report = engine->synthesize(request(), collect);
  ASSERT_TRUE(report) << report.error().message;
  const std::vector<std::string> expected = {"Hello there.", "I have three cats", "and they are black!", "Goodbye."};
  ASSERT_EQ(report->pieces.size(), expected.size());
  int num_frames = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(report->pieces[i].text, expected[i]);
    num_frames += report->pieces[i].num_frames;
  }
  EXPECT_EQ(num_frames, report->num_frames);
  const std::vector<float> streamed = std::move(samples);
  samples.clear();
  ASSERT_TRUE(engine->decode(report->codes, collect));
  EXPECT_EQ(samples, streamed);
}

TEST_F(EnginePieces, a_limit_holds_for_the_whole_run) {
  Request r = request();
  r.talker = {.sample = false};  // greedy, this model never ends by itself
  r.max_frames = 7;
  const auto report = engine->synthesize(r, collect);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->finish_reason, FinishReason::length);
  EXPECT_EQ(report->num_frames, 7);
  EXPECT_EQ(report->pieces.size(), 1U);
}

TEST_F(EnginePieces, a_stop_ends_all_pieces) {
  const auto report = engine->synthesize(request(), [](std::span<const float>) { return SinkAnswer::stop; });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->finish_reason, FinishReason::cancelled);
  EXPECT_EQ(report->pieces.size(), 1U);
}

TEST_F(EnginePieces, what_can_not_be_read_is_noted) {
  Request r = request();
  r.text = "Hello \u4E2D";
  const auto report = engine->synthesize(r, collect);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->notes.size(), 1U);
  EXPECT_NE(report->notes[0].find("1 characters"), std::string::npos) << report->notes[0];
}

TEST_F(EnginePieces, a_trace_takes_one_piece_only) {
  const std::vector<int32_t> codes = {1, 2, 3, 4};
  const auto trace = engine->trace(request(), codes);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("4 pieces"), std::string::npos) << trace.error().message;
}

}  // namespace
}  // namespace kazeia
