// The engine's promises to its callers, on a tiny random model.
// links: kazeia_engine kazeia_convert kazeia_test_support
// processors: 2

#include "kazeia/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "cli/convert_model.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

std::unique_ptr<Engine> load(const std::string& model = "random:tiny:q8_0", int num_threads = 2) {
  auto engine = Engine::load({.model = model, .num_threads = num_threads});
  EXPECT_TRUE(engine) << (engine ? "" : engine.error().message);
  return engine ? *std::move(engine) : nullptr;
}

Request request(const std::string& text = "Bonjour Kazeia", uint64_t seed = 42) {
  Request r;
  r.text = text;
  r.seed = seed;
  r.max_frames = 12;
  return r;
}

struct Heard {
  Report report;
  std::vector<float> samples;
};

Heard speak(Engine& engine, const Request& r) {
  Heard heard;
  auto report = engine.synthesize(r, [&](std::span<const float> samples) {
    heard.samples.insert(heard.samples.end(), samples.begin(), samples.end());
    return SinkAnswer::proceed;
  });
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  if (report) heard.report = *report;
  return heard;
}

TEST(Engine, EqualRequestsGiveEqualSamplesWhateverCameBetween) {
  for (const char* model : {"random:tiny:f32", "random:tiny:q8_0"}) {
    const auto engine = load(model);
    const Heard first = speak(*engine, request());
    EXPECT_EQ(first.samples.size(), 12U * static_cast<size_t>(engine->info().samples_per_frame));
    speak(*engine, request("Something else, and longer than the first text."));
    EXPECT_EQ(speak(*engine, request()).samples, first.samples) << model;
    EXPECT_NE(speak(*engine, request("Bonjour Kazeia", /*seed=*/43)).samples, first.samples);
  }
}

TEST(Engine, RowsWithWhichThePromptBeforeBeganTooAreKeptAndChangeNothing) {
  for (const char* model : {"random:tiny:q8_0", "random:tiny:q4_0"}) {
    const auto engine = load(model);
    EXPECT_EQ(speak(*engine, request("Bonjour Kazeia")).report.prompt_rows_kept, 0) << "nothing came before";
    const Heard second = speak(*engine, request("Bonsoir Kazeia"));
    EXPECT_GT(second.report.prompt_rows_kept, 3);  // the role and the voice, and the first letters of this text
    EXPECT_LT(second.report.prompt_rows_kept, second.report.prompt_rows);
    EXPECT_EQ(second.samples, speak(*load(model), request("Bonsoir Kazeia")).samples) << model;

    const Heard again = speak(*engine, request("Bonsoir Kazeia"));
    EXPECT_EQ(again.report.prompt_rows_kept, again.report.prompt_rows - 1) << "the last row's scores are wanted";
    EXPECT_EQ(again.samples, second.samples);
  }
}

TEST(Engine, StacksWhoseSumsDependOnTheBatchKeepNoRows) {
  const auto engine = load("random:tiny:f32");
  speak(*engine, request());
  EXPECT_EQ(speak(*engine, request()).report.prompt_rows_kept, 0);
}

TEST(Engine, ACancelledOrFailedCallIsNotHeardInTheNext) {
  const auto engine = load();
  const Heard expected = speak(*engine, request());
  const auto stopped =
      engine->synthesize(request("Another text"), [](std::span<const float>) { return SinkAnswer::stop; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->finish_reason, FinishReason::cancelled);
  Request wrong = request();
  wrong.voice = "nobody";
  EXPECT_FALSE(engine->synthesize(wrong, {}));
  EXPECT_EQ(speak(*engine, request()).samples, expected.samples);
}

TEST(Engine, AStopTokenEndsTheRunBeforeTheNextFrame) {
  const auto engine = load();
  std::stop_source source;
  Request r = request();
  r.stop = source.get_token();
  int calls = 0;
  const auto report = engine->synthesize(r, [&](std::span<const float>) {
    if (++calls == 1) source.request_stop();
    return SinkAnswer::proceed;
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->finish_reason, FinishReason::cancelled);
  EXPECT_EQ(report->num_frames, 1);
}

TEST(Engine, AStopDoesNotWaitForTheFramesOfAnUnfinishedChunk) {
  const auto engine = load();
  std::stop_source source;
  Request r = request();
  r.max_frames = 100'000;
  r.silence_limit_ms = 0;
  r.stop = source.get_token();
  std::atomic<int> calls = 0;
  std::thread canceller([&] {
    while (calls < 3) std::this_thread::yield();
    source.request_stop();
  });
  size_t num_samples = 0;
  const auto report = engine->synthesize(r, [&](std::span<const float> samples) {
    num_samples += samples.size();
    ++calls;
    return SinkAnswer::proceed;
  });
  canceller.join();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->finish_reason, FinishReason::cancelled);
  // Chunks of 1, 2 and 4 frames, then of 8: a part of one would have been decoded after the stop.
  const auto samples_per_frame = static_cast<size_t>(engine->info().samples_per_frame);
  EXPECT_EQ((num_samples - 7 * samples_per_frame) % (8 * samples_per_frame), 0U) << num_samples / samples_per_frame;
}

TEST(Engine, EveryEndHasItsReason) {
  const auto engine = load();
  EXPECT_EQ(speak(*engine, request()).report.finish_reason, FinishReason::length);
  for (const char* nothing : {"", "  \n", "...!?", "\xF0\x9F\x98\x80"}) {
    const Heard heard = speak(*engine, request(nothing));
    EXPECT_EQ(heard.report.finish_reason, FinishReason::empty);
    EXPECT_TRUE(heard.samples.empty());
  }
  // Nearly uniform draws over the whole vocabulary find end-of-speech within the cap.
  Request hot = request();
  hot.talker.temperature = 1000.0F;
  hot.talker.top_k = 0;
  hot.max_frames = 8000;
  EXPECT_EQ(speak(*engine, hot).report.finish_reason, FinishReason::eos);
}

TEST(Engine, TheSeedUsedIsReported) {
  const auto engine = load();
  EXPECT_EQ(speak(*engine, request()).report.seed, 42U);
  Request unseeded = request();
  unseeded.seed.reset();
  const Heard first = speak(*engine, unseeded);
  EXPECT_EQ(speak(*engine, request("Bonjour Kazeia", first.report.seed)).samples, first.samples);
}

TEST(Engine, TheReportedCodesDecodeToTheSameSamples) {
  const auto engine = load();
  const Heard heard = speak(*engine, request());
  std::vector<float> samples;
  const auto report = engine->decode(heard.report.codes, [&](std::span<const float> part) {
    samples.insert(samples.end(), part.begin(), part.end());
    return SinkAnswer::proceed;
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->num_frames, heard.report.num_frames);
  EXPECT_EQ(samples, heard.samples);
}

TEST(Engine, UnknownNamesAreErrorsThatListTheKnownOnes) {
  const auto engine = load();
  Request r = request();
  r.voice = "nobody";
  const auto voice = engine->synthesize(r, {});
  ASSERT_FALSE(voice);
  EXPECT_NE(voice.error().message.find(engine->info().voices.front().name), std::string::npos) << voice.error().message;
  r = request();
  r.language = "klingon";
  const auto language = engine->synthesize(r, {});
  ASSERT_FALSE(language);
  EXPECT_NE(language.error().message.find(engine->info().languages.front()), std::string::npos);
}

TEST(Engine, WrongOptionsAreErrorsThatNameThem) {
  const auto engine = load();
  Request r = request();
  r.talker.temperature = 0.0F;
  const auto temperature = engine->synthesize(r, {});
  ASSERT_FALSE(temperature);
  EXPECT_NE(temperature.error().message.find("temperature"), std::string::npos);
  const int32_t wrong_code[] = {0, 1, 2, 1 << 20};
  EXPECT_FALSE(engine->decode(wrong_code, {}));
  EXPECT_FALSE(engine->decode(std::span(wrong_code).first(3), {}));
  EXPECT_FALSE(Engine::load({.model = "/no/such/model.gguf"}));
  EXPECT_FALSE(Engine::load({.model = "random:tiny:q8_0", .num_threads = 100000}));
  const auto device = Engine::load({.model = "random:tiny:q8_0", .placement = "codec=HTP0"});
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("HTP0"), std::string::npos);
}

TEST(Engine, TheKernelsAskedForAreUsedByThisEngineAlone) {
  const auto best = load("random:tiny:q8_0", /*num_threads=*/1);
  const Heard before = speak(*best, request());
  auto scalar = Engine::load({.model = "random:tiny:q8_0", .num_threads = 1, .kernels = "scalar"});
  ASSERT_TRUE(scalar) << scalar.error().message;
  EXPECT_EQ((*scalar)->info().kernels, "scalar");
  EXPECT_EQ(speak(**scalar, request()).report.num_frames, 12);
  EXPECT_EQ(speak(*best, request()).samples, before.samples);
  EXPECT_EQ(load()->info().kernels, best->info().kernels);
  const auto unknown = Engine::load({.model = "random:tiny:q8_0", .kernels = "abacus"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(unknown.error().message.ends_with("scalar; found 'abacus'")) << unknown.error().message;
}

TEST(Engine, CallsFromSeveralThreadsAreServedOneAfterTheOther) {
  const auto engine = load();
  const Heard expected = speak(*engine, request());
  std::vector<std::thread> threads;
  std::atomic<int> equal = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { equal += speak(*engine, request()).samples == expected.samples ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 4);
}

TEST(Engine, TwoEnginesShareNothing) {
  const auto first = load();
  const auto second = load("random:tiny:f32", /*num_threads=*/1);
  const Heard alone = speak(*first, request());
  std::thread other([&] { speak(*second, request("Meanwhile, another engine speaks.")); });
  EXPECT_EQ(speak(*first, request()).samples, alone.samples);
  other.join();
}

TEST(Engine, AFolderOfEachKindSpeaks) {
  using test::TinyCheckpoint;
  const TinyCheckpoint kinds[] = {
      {.variant = "tiny", .num_shards = 3},
      {.variant = "tiny16", .dtype = DType::f16},
      {.variant = "tiny-mtp", .dtype = DType::f32},
      {.change = [](ModelConfig& config) { config.type = ModelType::voice_design; }},
      {.change = [](ModelConfig& config) { config.type = ModelType::base; }},
      {.change = [](ModelConfig& config) { config.talker.num_code_groups = config.codec.num_quantizers = 1; }},
      {.change = [](ModelConfig& config) { config.talker.num_code_groups = config.codec.num_quantizers = 32; }},
  };
  for (const TinyCheckpoint& kind : kinds) {
    const test::TempFolder folder;
    write_tiny_checkpoint(folder.path(), kind);
    const auto engine = load(folder.path());
    ASSERT_TRUE(engine);
    Request r = request();
    r.instruct = "Speak slowly.";
    for (const Feed feed : {Feed::full, Feed::streaming}) {
      r.text_feed = feed;
      const Heard heard = speak(*engine, r);
      EXPECT_EQ(heard.report.num_frames, 12);
      EXPECT_EQ(heard.report.codes.size(), 12U * static_cast<size_t>(engine->info().num_code_groups));
    }
  }
}

TEST(Engine, AFolderAndItsGgufOfTheSameTypesSpeakTheSameSamples) {
  const test::TempFolder folder;
  test::write_tiny_checkpoint(folder.path(), {.dtype = DType::f32});
  const std::string file = folder.file("model.gguf");
  const auto converted = convert_model(folder.path(), file, StorageType::f32);
  ASSERT_TRUE(converted) << converted.error().message;
  const Heard from_folder = speak(*load(folder.path()), request());
  EXPECT_EQ(from_folder.samples.size(), 12U * 1920U);
  EXPECT_EQ(speak(*load(file), request()).samples, from_folder.samples);
}

TEST(Engine, ATraceOfItsOwnGreedyCodesRanksThemFirst) {
  const auto engine = load("random:tiny:f32");
  Request r = request();
  r.talker.sample = false;
  r.talker.repetition_penalty = 1.0F;
  r.code_predictor.sample = false;
  const Heard heard = speak(*engine, r);
  const auto trace = engine->trace(r, heard.report.codes);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->pcm, heard.samples);
  const auto vocab = static_cast<size_t>(trace->talker_vocab_size);
  const auto num_groups = static_cast<size_t>(engine->info().num_code_groups);
  for (size_t t = 0; t < 12; ++t) {
    const auto logits = trace->talker_logits.begin() + static_cast<std::ptrdiff_t>(t * vocab);
    const auto best = std::max_element(logits, logits + static_cast<std::ptrdiff_t>(vocab - 1024)) - logits;
    EXPECT_EQ(best, heard.report.codes[t * num_groups]);
  }
}

}  // namespace
}  // namespace kazeia
