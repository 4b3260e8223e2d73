// links: kazeia_base
// processors: 2
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kazeia {
namespace {

TEST(ThreadPool, SharesCoverEverythingOnceInWholeUnits) {
  ThreadPool pool(3);
  std::vector<int> visits(100, 0);
  std::atomic<bool> whole_units = true;
  auto job = [&](ThreadPool::Worker& worker) {
    const auto share = worker.share(100, /*unit=*/16);
    if (share.begin % 16 != 0) whole_units = false;
    for (int i = share.begin; i < share.end; ++i) ++visits[static_cast<size_t>(i)];
  };
  pool.run(job);
  EXPECT_TRUE(whole_units);
  EXPECT_EQ(visits, std::vector<int>(100, 1));
}

TEST(ThreadPool, WritesBeforeABarrierAreSeenAfterIt) {
  for (const int num_threads : {1, 2, 5}) {
    ThreadPool pool(num_threads);
    std::vector<int> value(static_cast<size_t>(num_threads), 0);
    std::atomic<int> wrong = 0;
    auto job = [&](ThreadPool::Worker& worker) {
      for (int step = 1; step <= 500; ++step) {
        value[static_cast<size_t>(worker.index())] = step;
        worker.barrier();
        if (std::accumulate(value.begin(), value.end(), 0) != step * num_threads) ++wrong;
        worker.barrier();
      }
    };
    pool.run(job);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ThreadPool, RunsOneJobAfterTheOther) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  auto job = [&](ThreadPool::Worker&) { ++calls; };
  for (int i = 0; i < 1000; ++i) pool.run(job);
  EXPECT_EQ(calls, 2000);
}

}  // namespace
}  // namespace kazeia
