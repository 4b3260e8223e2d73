// Which cores are fast, from copies of what the kernel tells about some machines.
// links: kazeia_base kazeia_test_support

#include "base/cpu_cores.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

// /sys/devices/system/cpu of a machine with as many processors as values; 0: that file is missing.
class Machine {
 public:
  Machine& with(const std::string& name, const std::vector<long>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) put(static_cast<int>(i), name, std::to_string(values[i]));
    }
    num_cpus_ = std::max(num_cpus_, static_cast<int>(values.size()));
    return *this;
  }
  Machine& with_siblings(const std::vector<std::string>& lists) {
    for (size_t i = 0; i < lists.size(); ++i) put(static_cast<int>(i), "topology/thread_siblings_list", lists[i]);
    return *this;
  }
  CpuCores cores() const {
    std::vector<int> all;
    for (int cpu = 0; cpu < num_cpus_; ++cpu) all.push_back(cpu);
    return find_cores(folder_.path(), all);
  }
  CpuCores cores_among(const std::vector<int>& cpus) const { return find_cores(folder_.path(), cpus); }

 private:
  void put(int cpu, const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.file("cpu" + std::to_string(cpu) + "/" + name);
    std::filesystem::create_directories(path.parent_path());
    test::write_file(path.string(), text + "\n");
  }

  test::TempFolder folder_;
  int num_cpus_ = 0;
};

using Cpus = std::vector<int>;

TEST(CpuCores, OnAPhoneTheLittleCoresAreSlow) {
  Machine phone;  // 3 little, 4 big, 1 prime
  phone.with("cpu_capacity", {326, 326, 326, 811, 811, 811, 811, 1024});
  const CpuCores cores = phone.cores();
  EXPECT_EQ(cores.fast_cpus, (Cpus{3, 4, 5, 6, 7}));
  EXPECT_EQ(cores.num_fast, 5);
  EXPECT_EQ(cores.num_slow, 3);
}

TEST(CpuCores, WithoutCapacitiesFrequenciesDecide) {
  Machine phone;
  phone.with("cpufreq/cpuinfo_max_freq", {1804800, 1804800, 1804800, 1804800, 2419200, 2419200, 2419200, 2841600});
  EXPECT_EQ(phone.cores().fast_cpus, (Cpus{4, 5, 6, 7}));
}

TEST(CpuCores, CapacitiesGoBeforeFrequenciesUnlessTheyAreAllTheSame) {
  Machine both;  // little cores that clock high
  both.with("cpu_capacity", {400, 400, 1024, 1024}).with("cpufreq/cpuinfo_max_freq", {2000, 2000, 2200, 2200});
  EXPECT_EQ(both.cores().fast_cpus, (Cpus{2, 3}));
  Machine equal;
  equal.with("cpu_capacity", {1024, 1024, 1024, 1024}).with("cpufreq/cpuinfo_max_freq", {3500, 3500, 5100, 5100});
  EXPECT_EQ(equal.cores().fast_cpus, (Cpus{2, 3}));
}

TEST(CpuCores, AMachineOfEqualCoresOrThatSaysNothingUsesAll) {
  Machine equal;
  equal.with("cpufreq/cpuinfo_max_freq", {5800, 5800, 5700, 5500});  // favoured cores are not another kind
  EXPECT_EQ(equal.cores().num_fast, 4);
  EXPECT_EQ(equal.cores().num_slow, 0);
  const CpuCores silent = Machine().cores_among({0, 1, 2});
  EXPECT_EQ(silent.num_fast, 3);
  Machine half;
  half.with("cpu_capacity", {300, 0, 1024, 1024});  // a processor without the file: no ground to judge
  EXPECT_EQ(half.cores().num_slow, 0);
}

TEST(CpuCores, TwoThreadsOfACoreCountOnce) {
  Machine laptop;  // two fast cores with two threads each, two slow cores
  laptop.with("cpufreq/cpuinfo_max_freq", {5000, 5000, 5000, 5000, 3700, 3700})
      .with_siblings({"0-1", "0-1", "2-3", "2-3", "4", "5"});
  const CpuCores cores = laptop.cores();
  EXPECT_EQ(cores.fast_cpus, (Cpus{0, 1, 2, 3}));
  EXPECT_EQ(cores.num_fast, 2);
  EXPECT_EQ(cores.num_slow, 2);
}

TEST(CpuCores, OnlyProcessorsThatMayBeUsedCount) {
  Machine phone;
  phone.with("cpu_capacity", {326, 326, 811, 1024});
  const CpuCores in_background = phone.cores_among({0, 1});
  EXPECT_EQ(in_background.num_fast, 2);
  EXPECT_EQ(in_background.num_slow, 0);
  EXPECT_EQ(phone.cores_among({1, 3}).fast_cpus, (Cpus{3}));
}

TEST(CpuCores, ThisMachineHasFastCoresAndAThreadKeepsItsPlace) {
  const CpuCores cores = usable_cores();
  EXPECT_GE(cores.num_fast, 1);
  EXPECT_LE(cores.num_fast, static_cast<int>(cores.fast_cpus.size()));
  const unsigned before = std::thread::hardware_concurrency();
  { const OnFastCores on_fast_cores(1); }
  EXPECT_EQ(std::thread::hardware_concurrency(), before);
}

}  // namespace
}  // namespace kazeia
