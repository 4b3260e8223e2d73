// Which cores compute: phones, and some laptops, have slow ones beside fast ones. Threads that walk through a model
// together go at the pace of the slowest, so the slow cores are left alone.
#pragma once
#include <string>
#include <vector>

namespace kazeia {

struct CpuCores {
  int num_fast = 1;              // physical cores; threads of one core share its arithmetic units
  int num_slow = 0;              // physical cores
  std::vector<int> fast_cpus{};  // logical processors of the fast cores, ascending
};

// folder: "/sys/devices/system/cpu" or a copy of it; what it does not say is taken as equal. cpus: the logical
// processors that count, ascending, at least one.
//
// A core is fast if its capacity (cpu_capacity, the kernel's own measure on ARM) is at least half of the best one's.
// Where the kernel gives none: if its highest frequency is at least three quarters of the best one's.
CpuCores find_cores(const std::string& folder, const std::vector<int>& cpus);

// Of this machine, as far as the calling thread may use it.
CpuCores usable_cores();

// Threads started while it lives stay on the fast cores, if there are slow ones and num_threads fit. The thread that
// makes it is put back where it was.
class OnFastCores {
 public:
  explicit OnFastCores(int num_threads);
  ~OnFastCores();
  OnFastCores(const OnFastCores&) = delete;
  OnFastCores& operator=(const OnFastCores&) = delete;

 private:
  std::vector<int> before_;  // empty: nothing was changed
};

}  // namespace kazeia
