#include "cli/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace kazeia {
namespace {

// The value after "KEY ... :" in a file of such lines, as /proc/cpuinfo and /proc/meminfo are.
std::string value_of(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

int64_t memory_value(std::string_view key) {
  const std::string text = value_of("/proc/meminfo", key);
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10) * 1024;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

// What the kernel says of the caches of one core: "32768K". The C library may count those of the whole processor.
int64_t last_level_cache() {
  for (const char* index : {"3", "2"}) {
    std::ifstream file(std::string("/sys/devices/system/cpu/cpu0/cache/index") + index + "/size");
    int64_t kib = 0;
    char unit = 0;
    if (file >> kib >> unit && unit == 'K') return kib * 1024;
  }
#ifdef _SC_LEVEL3_CACHE_SIZE
  return std::max<int64_t>({sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE), 0});
#else
  return 0;
#endif
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) found.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx")) found.emplace_back("avx");
  if (__builtin_cpu_supports("avx2")) found.emplace_back("avx2");
  if (__builtin_cpu_supports("fma")) found.emplace_back("fma");
  if (__builtin_cpu_supports("avx512f")) found.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512bw")) found.emplace_back("avx512bw");
  if (__builtin_cpu_supports("avx512vnni")) found.emplace_back("avx512vnni");
  if (__builtin_cpu_supports("avx512bf16")) found.emplace_back("avx512bf16");
#elif defined(__aarch64__)
  // Bits of the kernel's hwcap words (asm/hwcap.h), by number: older headers lack the names.
  const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  found.emplace_back("neon");
  if (caps & (1UL << 10)) found.emplace_back("fp16");
  if (caps & (1UL << 20)) found.emplace_back("dotprod");
  if (caps & (1UL << 22)) found.emplace_back("sve");
  if (caps2 & (1UL << 13)) found.emplace_back("i8mm");
  if (caps2 & (1UL << 14)) found.emplace_back("bf16");
#endif
  return found;
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  machine.processor = value_of("/proc/cpuinfo", "model name");
  if (machine.processor.empty()) machine.processor = value_of("/proc/cpuinfo", "Hardware");
  if (machine.processor.empty()) machine.processor = "unknown";
  machine.num_logical_cores = usable_cores();
  machine.last_level_cache_bytes = last_level_cache();
  machine.memory_bytes = memory_value("MemTotal");
  machine.free_memory_bytes = memory_value("MemAvailable");
  machine.instruction_sets = instruction_sets();
  return machine;
}

}  // namespace kazeia
