// The frame cap, and the watchdog on made-up audio.
// links: kazeia_engine
#include "engine/termination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace kazeia {
namespace {

constexpr int kRateHz = 24'000;

std::vector<float> tone(double seconds, double amplitude, double offset = 0) {
  std::vector<float> samples(static_cast<size_t>(std::lround(seconds * kRateHz)));
  for (size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * std::numbers::pi * 200 * static_cast<double>(i) / kRateHz;
    samples[i] = static_cast<float>(offset + amplitude * std::sin(phase));
  }
  return samples;
}

std::vector<float> silence(double seconds) { return tone(seconds, 0); }

std::vector<float> joined(std::initializer_list<std::vector<float>> parts) {
  std::vector<float> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Index of the first sample after which the watchdog says stop; -1: never.
int64_t stop_at(SilenceWatchdog watchdog, const std::vector<float>& audio, size_t chunk) {
  for (size_t begin = 0; begin < audio.size(); begin += chunk) {
    const size_t end = std::min(audio.size(), begin + chunk);
    if (watchdog.push(std::span(audio).subspan(begin, end - begin))) return static_cast<int64_t>(end);
  }
  return -1;
}

int cap(int requested, int64_t num_codepoints) {
  const Result<int> frames = frame_cap(requested, num_codepoints);
  return frames ? *frames : -1;
}

TEST(FrameCap, IsScaledToTheTextUnlessTheCallerSaysOtherwise) {
  EXPECT_EQ(cap(0, 0), 240);
  EXPECT_EQ(cap(0, 20), 240);
  EXPECT_EQ(cap(0, 21), 252);
  EXPECT_EQ(cap(0, 1000), 12'000);
  EXPECT_EQ(cap(31, 1000), 31);
  EXPECT_EQ(cap(100'000, 1), 100'000);
}

TEST(FrameCap, StaysANumberForAnyLength) { EXPECT_GT(cap(0, std::numeric_limits<int64_t>::max()), 2'000'000'000); }

TEST(FrameCap, ANegativeRequestIsAnError) {
  EXPECT_EQ(frame_cap(-5, 10).error().message, "max_frames: expected 0 (scaled to the text) or more, found -5");
}

TEST(SilenceWatchdog, StopsAtTheLimitAndNotASampleEarlier) {
  const auto audio = joined({tone(0.8, 0.3), silence(10)});
  EXPECT_EQ(stop_at({kRateHz, 8000}, audio, 1), kRateHz * 88 / 10);
}

TEST(SilenceWatchdog, LeadingSilenceCountsToo) {
  EXPECT_EQ(stop_at({kRateHz, 1600}, silence(5), 1), kRateHz * 16 / 10);
}

TEST(SilenceWatchdog, AnySoundStartsTheCountAgain) {
  const auto audio = joined({silence(1.5), tone(0.08, 0.1), silence(1.5), tone(0.08, 0.1), silence(1.5)});
  EXPECT_EQ(stop_at({kRateHz, 1600}, audio, 100), -1);
  SilenceWatchdog watchdog(kRateHz, 1600);
  watchdog.push(joined({silence(1.5), tone(0.1, 0.1), silence(0.8)}));
  EXPECT_LE(watchdog.silent_ms(), 800);
  EXPECT_GE(watchdog.silent_ms(), 640);
}

TEST(SilenceWatchdog, TheChunkSizeDoesNotChangeTheAnswer) {
  const auto audio = joined({tone(0.37, 0.3), silence(4), tone(1, 0.2)});
  const int64_t exact = stop_at({kRateHz, 2000}, audio, 1);
  ASSERT_GT(exact, 0);
  for (const size_t chunk : {7, 1920, 5760, 48'000}) {
    const int64_t stop = stop_at({kRateHz, 2000}, audio, chunk);
    EXPECT_GE(stop, exact) << chunk;
    EXPECT_LT(stop, exact + static_cast<int64_t>(chunk)) << chunk;
  }
}

TEST(SilenceWatchdog, HearsFromMinus60dBFullScaleOn) {
  const double rms = std::numbers::sqrt2;  // amplitude of a sine with RMS 1
  EXPECT_EQ(stop_at({kRateHz, 800}, tone(2, 1.1e-3 * rms), 1920), -1);
  EXPECT_GT(stop_at({kRateHz, 800}, tone(2, 0.9e-3 * rms), 1920), 0);
}

TEST(SilenceWatchdog, AConstantOffsetIsSilent) {
  EXPECT_GT(stop_at({kRateHz, 800}, tone(2, 0, 0.25), 1920), 0);
  EXPECT_EQ(stop_at({kRateHz, 800}, tone(2, 0.1, 0.25), 1920), -1);
}

TEST(SilenceWatchdog, OnceReachedTheLimitStaysReached) {
  SilenceWatchdog watchdog(kRateHz, 800);
  EXPECT_TRUE(watchdog.push(silence(1)));
  EXPECT_TRUE(watchdog.push(tone(1, 0.5)));
}

TEST(SilenceWatchdog, ZeroTurnsItOff) {
  EXPECT_EQ(stop_at({kRateHz, 0}, silence(100), 1920), -1);
  SilenceWatchdog watchdog(kRateHz, 0);
  watchdog.push(silence(1.6));
  EXPECT_EQ(watchdog.silent_ms(), 1600);
}

TEST(SilenceWatchdog, BrokenAudioIsNotSilence) {
  const std::vector<float> broken(kRateHz, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(stop_at({kRateHz, 400}, broken, 1920), -1);
}

TEST(SilenceWatchdog, WorksAtAnySampleRate) {
  EXPECT_EQ(stop_at({16'000, 800}, std::vector<float>(20'000), 1), 12'800);
  EXPECT_EQ(stop_at({1, 800}, std::vector<float>(100), 1), 10);  // a window has a sample at least
}

}  // namespace
}  // namespace kazeia
