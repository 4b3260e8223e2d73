// Ctrl-C as a question instead of a sudden death, while there is something to clean up.
#pragma once
#include <csignal>

namespace kazeia {

// While one lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the second one ends the program as usual.
// One at a time in the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;

 private:
  struct sigaction previous_[3];
};

// The signal that was noted, 0 for none. After the clean-up the program ends by it, as its caller expects: a shell loop
// stops at Ctrl-C only if the program died of SIGINT.
int noted_signal();

}  // namespace kazeia
