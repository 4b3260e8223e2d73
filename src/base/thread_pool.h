// A fixed team of threads that run one function together and meet at barriers: for work so short that queues would cost
// more than it.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace kazeia {

struct WorkRange {
  int begin, end;
};
// A member's share of [0, total) in a team, in whole multiples of `unit` but for the end.
inline WorkRange share_of(int total, int unit, int member, int num_members) {
  const int64_t units = (total + unit - 1) / unit;
  const auto at = [&](int64_t index) {
    return static_cast<int>(std::min<int64_t>(total, units * index / num_members * unit));
  };
  return {at(member), at(member + 1)};
}

class ThreadPool {
 public:
  // One member of the team inside run().
  class Worker {
   public:
    int index() const { return index_; }
    int count() const { return pool_.num_threads(); }
    // Returns when every member has come here; what they wrote before it is visible after it.
    void barrier() { pool_.barrier(); }

    using Range = WorkRange;
    Range share(int total, int unit = 1) const { return share_of(total, unit, index_, count()); }

   private:
    friend class ThreadPool;
    Worker(ThreadPool& pool, int index) : pool_(pool), index_(index) {}

    ThreadPool& pool_;
    int index_;
  };

  // num_threads >= 1; the caller of run() is one of them.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls fn(Worker&) on every member, the calling thread among them; returns when all have returned. One call at a
  // time.
  template <class Fn>
  void run(Fn& fn) {
    start([](void* context, Worker& worker) { (*static_cast<Fn*>(context))(worker); }, &fn);
  }

 private:
  using Job = void (*)(void* context, Worker& worker);

  void start(Job job, void* context);
  void serve(int index);
  void barrier();

  const int num_threads_;
  std::vector<std::thread> threads_;
  Job job_ = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> stop_ = false;
  // Each on a cache line of its own, so that those who wait don't slow those who arrive.
  alignas(64) std::atomic<uint32_t> round_ = 0;     // jobs started
  alignas(64) std::atomic<int> arrived_ = 0;        // members at the barrier
  alignas(64) std::atomic<uint32_t> barriers_ = 0;  // barriers passed
};

}  // namespace kazeia
