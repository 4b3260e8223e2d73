// Loops of nothing but multiply-adds, one for each number format, for the best instruction set of this machine.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kazeia {

struct PeakLoop {
  std::string name;         // "f32 FMA", "bf16 dot", "int8 dot"
  std::string instruction;  // "avx2", "none"
  double flops_per_round = 0;
  float (*run)(int64_t num_rounds) = nullptr;  // null: this machine has no such instruction. The result is of no use
};

std::vector<PeakLoop> peak_loops();

}  // namespace kazeia
