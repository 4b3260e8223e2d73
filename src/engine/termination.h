// When a speech ends that does not end by itself: these models sometimes miss their end-of-speech code.
#pragma once
#include <cstdint>
#include <span>

#include "base/result.h"

namespace kazeia {

// How many frames a run may have: `requested`, or, if that is 0, max(240, 12 * codepoints). At 12.5 frames a second
// nobody takes a second for a codepoint, and a short text gets 19 seconds. Negative requests are an Error.
Result<int> frame_cap(int requested, int64_t num_codepoints);

// Hears all audio of one run and says when it has been silent for too long: FinishReason::silence.
//
// The stream is cut into windows of 80 ms (one frame of the published models), counted from its start, so the sizes of
// the chunks don't matter. A window is silent when the RMS of its samples around their mean is below -60 dBFS, 0.001: a
// constant offset is silent to the ear. `limit_ms` of silent windows without a break end the run, wherever they are:
// silence before the first word counts like silence after the last, because a model that does not begin within the
// limit (8 s by default, far beyond the pauses of speech) does not begin at all. What was heard before stays with the
// listener: the watchdog cuts nothing off.
class SilenceWatchdog {
 public:
  // limit_ms is rounded up to whole windows; 0 or less: never silent.
  SilenceWatchdog(int sample_rate_hz, int limit_ms);

  // Takes the next samples, [-1, 1]. Returns whether the limit was reached, now or earlier.
  bool push(std::span<const float> samples);

  // Length of the run of silent windows that is going on.
  int silent_ms() const;

 private:
  void close_window();

  int64_t samples_per_window_ = 0;
  int64_t max_silent_windows_ = 0;  // 0: off
  int64_t num_silent_windows_ = 0;
  bool limit_reached_ = false;

  // The window that is being filled.
  int64_t num_samples_ = 0;
  double sum_ = 0, sum_of_squares_ = 0;
};

}  // namespace kazeia
