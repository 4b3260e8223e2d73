// Names of tests that run on several devices.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kazeia::test {

// "sim:hexagon-2026-11" -> "sim_hexagon_2026_11": gtest takes letters, digits and _ only.
inline std::string name_of_device(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
}

}  // namespace kazeia::test
