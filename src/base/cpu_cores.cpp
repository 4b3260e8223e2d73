#include "base/cpu_cores.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

namespace kazeia {
namespace {

// One value of one processor, or nothing.
template <class T>
std::optional<T> read_value(const std::string& folder, int cpu, const char* name) {
  std::ifstream file(folder + "/cpu" + std::to_string(cpu) + "/" + name);
  T value{};
  if (file >> value) return value;
  return std::nullopt;
}

// The least value that counts as fast: `share` of the best. Nothing where a processor does not say, or all say the
// same.
std::optional<double> least_fast(const std::string& folder, const std::vector<int>& cpus, const char* name,
                                 double share) {
  long best = 0;
  long worst = 0;
  for (const int cpu : cpus) {
    const std::optional<long> value = read_value<long>(folder, cpu, name);
    if (!value || *value <= 0) return std::nullopt;
    best = std::max(best, *value);
    worst = worst == 0 ? *value : std::min(worst, *value);
  }
  if (worst == best) return std::nullopt;
  return share * static_cast<double>(best);
}

std::vector<int> fast_among(const std::string& folder, const std::vector<int>& cpus) {
  struct Measure {
    const char* name;
    double share;
  };
  for (const Measure measure : {Measure{"cpu_capacity", 0.5}, Measure{"cpufreq/cpuinfo_max_freq", 0.75}}) {
    const std::optional<double> least = least_fast(folder, cpus, measure.name, measure.share);
    if (!least) continue;
    std::vector<int> fast;
    std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(fast), [&](int cpu) {
      return static_cast<double>(read_value<long>(folder, cpu, measure.name).value_or(0)) >= *least;
    });
    return fast;
  }
  return cpus;
}

// Processors with the same siblings are one core. (core_id is unique only inside a cluster.)
int count_cores(const std::string& folder, const std::vector<int>& cpus) {
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    cores.insert(read_value<std::string>(folder, cpu, "topology/thread_siblings_list").value_or(std::to_string(cpu)));
  }
  return static_cast<int>(cores.size());
}

#ifdef __linux__
std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Of the calling thread. A refusal changes nothing but speed.
bool allow_cpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}
#else
std::vector<int> allowed_cpus() { return {}; }
bool allow_cpus(const std::vector<int>&) { return false; }
#endif

}  // namespace

CpuCores find_cores(const std::string& folder, const std::vector<int>& cpus) {
  CpuCores cores;
  cores.fast_cpus = fast_among(folder, cpus);
  cores.num_fast = count_cores(folder, cores.fast_cpus);
  cores.num_slow = count_cores(folder, cpus) - cores.num_fast;
  return cores;
}

CpuCores usable_cores() {
  std::vector<int> cpus = allowed_cpus();
  if (cpus.empty()) {
    cpus.resize(std::max(1U, std::thread::hardware_concurrency()));
    std::iota(cpus.begin(), cpus.end(), 0);
  }
  return find_cores("/sys/devices/system/cpu", cpus);
}

OnFastCores::OnFastCores(int num_threads) {
  const CpuCores cores = usable_cores();
  if (cores.num_slow == 0 || num_threads > cores.num_fast) return;
  std::vector<int> before = allowed_cpus();
  if (!before.empty() && allow_cpus(cores.fast_cpus)) before_ = std::move(before);
}

OnFastCores::~OnFastCores() {
  if (!before_.empty()) allow_cpus(before_);
}

}  // namespace kazeia
