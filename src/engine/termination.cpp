// The frame cap and the silence watchdog.
#include "engine/termination.h"

#include <algorithm>
#include <limits>
#include <string>

namespace kazeia {

namespace {

constexpr int kMinFrameCap = 240;
constexpr int kFramesPerCodepoint = 12;
constexpr int kWindowMs = 80;
constexpr double kSilenceRms = 1e-3;  // -60 dBFS

}  // namespace

Result<int> frame_cap(int requested, int64_t num_codepoints) {
  if (requested < 0) {
    return Error{ErrorCode::invalid_argument,
                 "max_frames: expected 0 (scaled to the text) or more, found " + std::to_string(requested)};
  }
  if (requested > 0) return requested;
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const int64_t scaled = std::clamp<int64_t>(num_codepoints, 0, kMost / kFramesPerCodepoint) * kFramesPerCodepoint;
  return static_cast<int>(std::max<int64_t>(kMinFrameCap, scaled));
}

SilenceWatchdog::SilenceWatchdog(int sample_rate_hz, int limit_ms)
    : samples_per_window_(std::max<int64_t>(1, int64_t{sample_rate_hz} * kWindowMs / 1000)),
      max_silent_windows_(limit_ms <= 0 ? 0 : (int64_t{limit_ms} + kWindowMs - 1) / kWindowMs) {}

bool SilenceWatchdog::push(std::span<const float> samples) {
  for (const double sample : samples) {
    sum_ += sample;
    sum_of_squares_ += sample * sample;
    if (++num_samples_ == samples_per_window_) close_window();
  }
  return limit_reached_;
}

int SilenceWatchdog::silent_ms() const {
  return static_cast<int>(std::min<int64_t>(num_silent_windows_ * kWindowMs, std::numeric_limits<int>::max()));
}

void SilenceWatchdog::close_window() {
  const double count = static_cast<double>(num_samples_);
  const double mean = sum_ / count;
  const double variance = sum_of_squares_ / count - mean * mean;
  const bool silent = variance < kSilenceRms * kSilenceRms;  // false for NaN: broken audio is not silence
  num_silent_windows_ = silent ? num_silent_windows_ + 1 : 0;
  if (max_silent_windows_ > 0 && num_silent_windows_ >= max_silent_windows_) limit_reached_ = true;
  num_samples_ = 0;
  sum_ = 0;
  sum_of_squares_ = 0;
}

}  // namespace kazeia
