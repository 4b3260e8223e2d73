// What the machine can do at most, measured: reading memory, and multiply-adds of each number format.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kazeia {

struct ComputePeak {
  std::string name;         // "f32 FMA"
  std::string instruction;  // "avx2"
  double gflops = 0;        // 2 for each multiply-add; 10^9 a second, all threads together; 0: this machine lacks it
};

struct Peaks {
  int num_threads = 1;
  int64_t buffer_bytes = 0;          // read once a run; beyond the last level cache
  double read_gb_per_s = 0;          // 10^9 bytes
  std::vector<ComputePeak> compute;  // f32, bf16, int8

  double gflops(const std::string& name) const;
};

// The best of several short runs of each, about half a second in all. last_level_cache_bytes and free_memory_bytes
// bound the buffer.
Peaks measure_peaks(int num_threads, int64_t last_level_cache_bytes, int64_t free_memory_bytes);

}  // namespace kazeia
