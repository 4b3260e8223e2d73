// Milliseconds since construction or the last lap().
#pragma once
#include <chrono>

namespace kazeia {

class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Milliseconds since the last lap, which starts a new one.
  double lap() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    return ms;
  }

 private:
  Clock::time_point start_ = Clock::now();
};

}  // namespace kazeia
