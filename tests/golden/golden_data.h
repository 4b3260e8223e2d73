// Reading tests/golden/data: arrays, manifests, and how far two arrays are apart.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/npy.h"

namespace kazeia::golden {

inline std::string data_path(const std::string& name) {
  return std::string(KAZEIA_SOURCE_DIR) + "/tests/golden/data/" + name;
}

// folder: below data/, for instance "tiny".
inline nlohmann::json manifest(const std::string& folder) {
  std::ifstream file(data_path(folder + "/manifest.json"));
  return nlohmann::json::parse(file);
}

// name: below data/, without ".npy". A missing file fails the test and gives an empty array.
inline std::vector<float> floats(const std::string& name) {
  Shape shape;
  Result<std::vector<float>> values = read_npy_f32(data_path(name + ".npy"), shape);
  EXPECT_TRUE(values) << values.error().message;
  return values ? *std::move(values) : std::vector<float>{};
}

inline std::vector<int32_t> ints(const std::string& name) {
  Shape shape;
  Result<std::vector<int32_t>> values = read_npy_i32(data_path(name + ".npy"), shape);
  EXPECT_TRUE(values) << values.error().message;
  return values ? *std::move(values) : std::vector<int32_t>{};
}

// Infinite when the lengths differ or a value is not a number.
inline float max_abs_diff(std::span<const float> found, std::span<const float> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const float distance = std::abs(found[i] - expected[i]);
    if (!(distance <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::infinity();
    largest = std::max(largest, distance);
  }
  return largest;
}

inline float max_abs(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace kazeia::golden
