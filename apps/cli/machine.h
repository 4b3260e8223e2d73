// What this machine is: processor, instruction sets, caches, memory.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kazeia {

struct Machine {
  std::string processor;               // as the processor names itself
  int num_logical_cores = 0;           // that this process may use
  int64_t last_level_cache_bytes = 0;  // 0: unknown
  int64_t memory_bytes = 0, free_memory_bytes = 0;
  std::vector<std::string> instruction_sets;  // those that matter for speech, by name: "avx2"
};

Machine describe_machine();

}  // namespace kazeia
