// How far results lie from what is expected.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <span>

namespace kazeia::test {

// |found - expected| / |expected| as vectors.
inline double relative_error(std::span<const float> found, std::span<const float> expected) {
  EXPECT_EQ(found.size(), expected.size());
  double difference = 0.0, size = 0.0;
  for (size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    difference += std::pow(double{found[i]} - expected[i], 2);
    size += std::pow(double{expected[i]}, 2);
  }
  return std::sqrt(difference / size);
}

// Of what is expected to the difference, in dB.
inline double signal_to_noise_db(std::span<const float> found, std::span<const float> expected) {
  return -20.0 * std::log10(relative_error(found, expected));
}

}  // namespace kazeia::test
