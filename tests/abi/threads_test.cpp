// The C API from several threads: cancelling from outside, and an error text for each thread.
#include <gtest/gtest.h>
#include <kazeia/kazeia.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

kz_engine* load_tiny() {
  kz_engine_options options{};
  options.size = sizeof options;
  options.model = "random:tiny:f32";
  options.num_threads = 1;
  kz_engine* engine = nullptr;
  EXPECT_EQ(kz_engine_load(&options, &engine), KZ_OK) << kz_last_error();
  return engine;
}

kz_request long_request() {
  kz_request request{};
  request.size = sizeof request;
  request.text = "A text that takes a while";
  request.has_seed = 1;
  request.seed = 1;
  request.talker.draw = KZ_DRAW_GREEDY;
  request.max_frames = 100'000;
  request.silence_limit_ms = -1;
  return request;
}

int keep_samples(const float* samples, size_t num_samples, void* user_data) {
  auto& all = *static_cast<std::vector<float>*>(user_data);
  all.insert(all.end(), samples, samples + num_samples);
  return 1;
}

int note_start(const float*, size_t, void* user_data) {
  *static_cast<std::atomic<bool>*>(user_data) = true;
  return 1;
}

TEST(CApi, cancel_from_another_thread_ends_a_run_and_no_later_one) {
  kz_engine* engine = load_tiny();
  ASSERT_NE(engine, nullptr);
  std::atomic<bool> started = false;
  kz_report report{};
  report.size = sizeof report;
  std::thread speaker([&] {
    const kz_request request = long_request();
    EXPECT_EQ(kz_synthesize(engine, &request, note_start, &started, &report), KZ_OK) << kz_last_error();
  });
  while (!started) std::this_thread::yield();
  EXPECT_EQ(kz_engine_cancel(engine), KZ_OK);
  speaker.join();
  EXPECT_EQ(report.finish_reason, KZ_FINISH_CANCELLED);

  kz_request request = long_request();
  request.max_frames = 3;
  EXPECT_EQ(kz_synthesize(engine, &request, note_start, &started, &report), KZ_OK);
  EXPECT_EQ(report.num_frames, 3);
  kz_engine_free(engine);
}

TEST(CApi, each_thread_has_its_own_error_text) {
  kz_request request{};
  EXPECT_EQ(kz_synthesize(nullptr, &request, note_start, nullptr, nullptr), KZ_INVALID_ARGUMENT);
  EXPECT_STRNE(kz_last_error(), "");
  std::string other = "not read";
  std::thread([&] { other = kz_last_error(); }).join();
  EXPECT_EQ(other, "");
}

TEST(CApi, two_engines_at_once_say_what_each_says_alone) {
  kz_engine* engines[] = {load_tiny(), load_tiny()};
  kz_request request = long_request();
  request.max_frames = 8;
  std::vector<float> alone;
  ASSERT_EQ(kz_synthesize(engines[0], &request, keep_samples, &alone, nullptr), KZ_OK);
  std::vector<float> together[2];
  std::thread threads[2];
  for (size_t i = 0; i < 2; ++i) {
    threads[i] = std::thread(
        [&, i] { EXPECT_EQ(kz_synthesize(engines[i], &request, keep_samples, &together[i], nullptr), KZ_OK); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(alone.empty());
  EXPECT_EQ(together[0], alone);
  EXPECT_EQ(together[1], alone);
  for (kz_engine* engine : engines) kz_engine_free(engine);
}

}  // namespace
