// Seeded random numbers for tests, equal on every platform (std::normal_distribution is not).
#pragma once
#include <cstdint>
#include <random>
#include <vector>

namespace kazeia::test {

// Uniform in [-scale, scale).
inline std::vector<float> random_values(int64_t count, float scale, std::mt19937& random) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = (static_cast<float>(random() >> 8) * 0x1p-23F - 1.0F) * scale;
  return values;
}

// Uniform in 0 .. bound - 1.
inline std::vector<int32_t> random_codes(int64_t count, int bound, std::mt19937& random) {
  std::vector<int32_t> codes(static_cast<size_t>(count));
  for (int32_t& code : codes) code = static_cast<int32_t>(random() % static_cast<uint32_t>(bound));
  return codes;
}

}  // namespace kazeia::test
