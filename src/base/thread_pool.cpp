#include "base/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kazeia {
namespace {

// Turns of the waiting loop before a thread sleeps: about 20 microseconds, longer than most waits inside a job.
constexpr int kSpins = 1000;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Waits until `value` differs from `old`, spinning first and sleeping then.
void wait_for_change(std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(int num_threads) : num_threads_(num_threads) {
  for (int i = 1; i < num_threads; ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::start(Job job, void* context) {
  job_ = job;
  context_ = context;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  Worker self(*this, 0);
  job(context, self);
  barrier();  // all members are done with the job
}

void ThreadPool::serve(int index) {
  Worker self(*this, index);
  for (uint32_t seen = 0;; ++seen) {
    wait_for_change(round_, seen);
    if (stop_) return;
    job_(context_, self);
    barrier();
  }
}

void ThreadPool::barrier() {
  const uint32_t current = barriers_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < num_threads_) {
    wait_for_change(barriers_, current);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  barriers_.fetch_add(1, std::memory_order_release);
  barriers_.notify_all();
}

}  // namespace kazeia
