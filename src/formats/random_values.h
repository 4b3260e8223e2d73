// Seeded weights for models that only have to have the right shape: benchmarks, tests, noise.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/dtype.h"
#include "formats/tensor_manifest.h"

namespace kazeia {

// Values are uniform in mean -+ sqrt(3) * std, with `std` such that activations keep their size through all layers.
struct RandomRange {
  float mean = 0;
  float std = 0;
};

// Of our tensor, after its recipe.
RandomRange random_range(const TensorSpec& spec);

// The key of one tensor's values: depends on the two arguments only, whatever else the model contains.
uint64_t random_key(uint64_t seed, std::string_view name);

// The counter-th 64 random bits of a key (the output function of SplitMix64 on key + counter * its increment).
inline uint64_t random_bits(uint64_t key, uint64_t counter) {
  uint64_t z = key + counter * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

void fill_random(uint64_t key, RandomRange range, std::span<float> out);

// The same in any storage type, written directly: quantised blocks get random integers and one common scale, which is
// also why they ignore the mean. `out` holds whole blocks.
void fill_random(uint64_t key, RandomRange range, DType dtype, std::span<std::byte> out);

}  // namespace kazeia
