// The native functions of the Kotlin binding from many threads: cancelling, closing, and speaking at once.
// processors: 2
#include <atomic>
#include <thread>

#include "jni_client.h"

namespace kazeia::test {
namespace {

// A speech on a thread of its own that has begun.
class RunningSpeech {
 public:
  explicit RunningSpeech(jlong engine) {
    const JavaValue request = request_for("A text that takes a while", 30'000);
    request->fields["silenceLimitMs"] = jint{-1};
    request->fields["talkerDraw"] = jint{2};  // the tiny model's speech then does not end by itself
    thread_ = std::thread([this, engine, request] {
      heard_ = stream(engine, request, [this](MockEnv&, std::span<const jshort>) {
        began_ = true;
        return jboolean{JNI_TRUE};
      });
      ended_ = true;
    });
    while (!began_ && !ended_) std::this_thread::yield();
  }
  ~RunningSpeech() {
    if (thread_.joinable()) thread_.join();
  }

  bool ended() const { return ended_; }
  const Heard& wait() {
    thread_.join();
    return heard_;
  }

 private:
  std::atomic<bool> began_ = false, ended_ = false;
  Heard heard_;
  std::thread thread_;
};

TEST(JniThreads, cancel_from_another_thread_ends_the_speech_and_no_later_one) {
  const jlong engine = load_engine();
  const std::vector<jshort> before = synthesize(engine, request_for("Bonjour")).samples;
  RunningSpeech speech(engine);
  cancel_engine(engine);
  const Heard& heard = speech.wait();
  EXPECT_EQ(heard.thrown(), "");
  EXPECT_TRUE(heard.finished("cancelled")) << heard.report;
  EXPECT_FALSE(heard.samples.empty());
  EXPECT_EQ(synthesize(engine, request_for("Bonjour")).samples, before);
  free_engine(engine);
}

TEST(JniThreads, closing_ends_the_speech_and_waits_for_it) {
  const jlong engine = load_engine();
  RunningSpeech speech(engine);
  std::thread waiting([&] {  // queues behind the first
    const Heard heard = synthesize(engine, request_for("Bonjour", 30'000));
    EXPECT_TRUE(heard.finished("cancelled") || heard.thrown() == "java/lang/IllegalStateException") << heard.report;
  });
  EXPECT_FALSE(speech.ended());
  free_engine(engine);
  EXPECT_EQ(synthesize(engine, request_for("Bonjour")).thrown(), "java/lang/IllegalStateException");
  EXPECT_TRUE(speech.wait().finished("cancelled"));
  waiting.join();
}

TEST(JniThreads, eight_threads_on_one_engine_hear_what_one_hears_alone) {
  const jlong engine = load_engine();
  const std::vector<jshort> alone = synthesize(engine, request_for("Bonjour", 3)).samples;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 2; ++round) {
        const JavaValue request = request_for("Bonjour", 3);
        const Heard heard = i % 2 == 0 ? synthesize(engine, request) : stream(engine, request);
        EXPECT_EQ(heard.thrown(), "");
        EXPECT_EQ(heard.samples, alone);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  free_engine(engine);
}

TEST(JniThreads, eight_threads_that_load_speak_and_close_get_answers_or_exceptions) {
  std::atomic<jlong> shared = load_engine();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) {
        if (i == 0) {
          const jlong old = shared.exchange(load_engine());
          free_engine(old);
        } else if (i == 1) {
          cancel_engine(shared);
        } else {
          const Heard heard = synthesize(shared, request_for("Bonjour", 3));
          EXPECT_TRUE(heard.finished("length") || heard.finished("cancelled") ||
                      heard.thrown() == "java/lang/IllegalStateException")
              << heard.report;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  free_engine(shared);
}

}  // namespace
}  // namespace kazeia::test
