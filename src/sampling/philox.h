// Philox4x32-10: 128 random bits from a counter and a key, without state.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), section 3.3.
#pragma once
#include <array>
#include <cstdint>

namespace kazeia {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter x, PhiloxKey key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * x[2];
    const auto high = [](uint64_t product) { return static_cast<uint32_t>(product >> 32); };
    const auto low = [](uint64_t product) { return static_cast<uint32_t>(product); };
    x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9;  // golden ratio and sqrt(3) - 1: a Weyl sequence, one step a round
    key[1] += 0xBB67AE85;
  }
  return x;
}

}  // namespace kazeia
