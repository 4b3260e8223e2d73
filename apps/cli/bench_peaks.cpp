#include "cli/bench_peaks.h"

#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <span>
#include <thread>

#include "cli/bench_peak_loops.h"

namespace kazeia {
namespace {

using Clock = std::chrono::steady_clock;

// Runs work(thread) on each thread at once; seconds from the first start to the last end.
double time_together(int num_threads, const std::function<void(int)>& work) {
  std::vector<Clock::time_point> starts(static_cast<size_t>(num_threads)), ends(static_cast<size_t>(num_threads));
  std::barrier gate(num_threads);
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, i] {
      gate.arrive_and_wait();
      starts[static_cast<size_t>(i)] = Clock::now();
      work(i);
      ends[static_cast<size_t>(i)] = Clock::now();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double>(*std::max_element(ends.begin(), ends.end()) -
                                       *std::min_element(starts.begin(), starts.end()))
      .count();
}

// Anonymous pages, huge where the system gives them: small ones cost a quarter of the bandwidth in page walks.
class Buffer {
 public:
  explicit Buffer(size_t num_bytes) : num_bytes_(num_bytes) {
    data_ = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) data_ = nullptr;
#ifdef MADV_HUGEPAGE
    if (data_ != nullptr) madvise(data_, num_bytes, MADV_HUGEPAGE);
#endif
  }
  ~Buffer() {
    if (data_ != nullptr) munmap(data_, num_bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::span<uint64_t> words() const {
    if (data_ == nullptr) return {};
    return {static_cast<uint64_t*>(data_), num_bytes_ / sizeof(uint64_t)};
  }

 private:
  void* data_;
  size_t num_bytes_;
};

// Sum, so that nothing can be left out; in lanes, so that memory is what takes the time. Four streams side by side, as
// the kernels read weights: memory gives more that way.
uint64_t sum_of(std::span<const uint64_t> words) {
  constexpr size_t kStreams = 4, kLanes = 8;
  const size_t stream = words.size() / kStreams / kLanes * kLanes;
  uint64_t lanes[kLanes] = {};
  for (size_t i = 0; i < stream; i += kLanes) {
    for (size_t s = 0; s < kStreams; ++s)
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += words[s * stream + i + lane];
  }
  uint64_t sum = 0;
  for (const uint64_t lane : lanes) sum += lane;
  return sum;
}

double measure_read(int num_threads, size_t num_bytes) {
  constexpr int kRuns = 7;
  const Buffer buffer(num_bytes);
  const std::span<uint64_t> words = buffer.words();
  const size_t part = words.size() / static_cast<size_t>(num_threads);
  const auto part_of = [&](int thread) { return words.subspan(static_cast<size_t>(thread) * part, part); };
  // Each thread touches its own part first, which places the pages near it.
  time_together(num_threads, [&](int thread) { std::fill(part_of(thread).begin(), part_of(thread).end(), 1); });
  std::vector<uint64_t> sums(static_cast<size_t>(num_threads));
  double best_s = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    best_s = std::min(best_s, time_together(num_threads, [&](int thread) {
                        sums[static_cast<size_t>(thread)] = sum_of(part_of(thread));
                      }));
  }
  const bool complete = std::all_of(sums.begin(), sums.end(), [&](uint64_t sum) { return sum <= part; });
  const auto bytes_read = static_cast<double>(part * sizeof(uint64_t)) * num_threads;
  return complete && best_s > 0 ? bytes_read / best_s / 1e9 : 0;
}

double measure_compute(int num_threads, const PeakLoop& loop) {
  constexpr int kRuns = 5;
  constexpr int64_t kRounds = 1'000'000;  // a few milliseconds
  std::vector<float> results(static_cast<size_t>(num_threads));
  double best_s = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    best_s = std::min(best_s, time_together(num_threads, [&](int thread) {
                        results[static_cast<size_t>(thread)] = loop.run(kRounds);
                      }));
  }
  return best_s > 0 ? loop.flops_per_round * kRounds * num_threads / best_s / 1e9 : 0;
}

}  // namespace

double Peaks::gflops(const std::string& name) const {
  for (const ComputePeak& peak : compute) {
    if (peak.name == name) return peak.gflops;
  }
  return 0;
}

Peaks measure_peaks(int num_threads, int64_t last_level_cache_bytes, int64_t free_memory_bytes) {
  constexpr int64_t kMinBuffer = 64 << 20;
  Peaks peaks{.num_threads = num_threads, .buffer_bytes = 0, .read_gb_per_s = 0, .compute = {}};
  const int64_t room = std::max<int64_t>(free_memory_bytes / 4, kMinBuffer);
  peaks.buffer_bytes = std::clamp<int64_t>(last_level_cache_bytes * 4, 4 * kMinBuffer, std::max(room, 4 * kMinBuffer));
  if (peaks.buffer_bytes > room) peaks.buffer_bytes = room;
  peaks.read_gb_per_s = measure_read(num_threads, static_cast<size_t>(peaks.buffer_bytes));
  for (const PeakLoop& loop : peak_loops()) {
    const double gflops = loop.run != nullptr ? measure_compute(num_threads, loop) : 0;
    peaks.compute.push_back({loop.name, loop.instruction, gflops});
  }
  return peaks;
}

}  // namespace kazeia
