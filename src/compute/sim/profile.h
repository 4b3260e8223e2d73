// The rules of a simulated device as plain data: one file for each generation of a real one (profile_*.cpp).
#pragma once
#include <ggml.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compute/cost_model.h"

namespace kazeia::sim {

// A set of tensor types.
class Types {
 public:
  constexpr Types() = default;
  constexpr Types(std::initializer_list<ggml_type> types) {
    for (const ggml_type type : types) bits_ |= uint64_t{1} << type;
  }
  constexpr bool has(ggml_type type) const { return (bits_ >> type & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  uint64_t bits_ = 0;
};

// What else an operation demands of its operands a (first), b (second) and its result.
enum Demand : uint32_t {
  kContiguousA = 1 << 0,
  kContiguousRowsA = 1 << 1,
  kContiguousB = 1 << 2,
  kContiguousResult = 1 << 3,
  kNotPermuted = 1 << 4,  // a, b and the result
  kSameShape = 1 << 5,    // a and the result
  kRepeatsB = 1 << 6,     // b's sizes divide a's
  kSameType = 1 << 7,     // a, b and the result
  kResultTypeOfA = 1 << 8,
  kBatchDivides = 1 << 9,         // the leading sizes of a divide b's
  kWholeBlocks = 1 << 10,         // rows of a are whole blocks of 32 values
  kSoftMaxRow = 1 << 11,          // at most 32 values a row or whole groups of 32, without sinks
  kRopeKind = 1 << 12,            // an even number of rotated values, halves or pairs
  kShapeIfTypeDiffers = 1 << 13,  // a and the result have one shape if their types differ
  kSameShapeAB = 1 << 14,
  kMaskOfHalves = 1 << 15,  // flash attention: the mask, if any, is f16
};

struct OpRule {
  ggml_op op;
  int variant = -1;                   // of GGML_OP_UNARY and GGML_OP_GLU
  Types a = {}, b = {}, result = {};  // allowed types; empty: any
  uint32_t demands = 0;
  int64_t max_rows_b = 0;  // 0: no limit
};

struct Profile {
  std::string name;         // "hexagon-2026-11"
  std::string description;  // where its rules come from
  std::vector<OpRule> rules;
  size_t memory_bytes = 0;  // of a session
  size_t max_buffer_bytes = 0;
  size_t alignment = 128;
  bool host_visible = false;   // else the CPU faults when it touches the memory outside the device's calls
  bool rounds_to_f16 = false;  // results of matrix products
  DeviceFigures figures;
};

// All of this build; a short name means the oldest: "hexagon".
const std::vector<Profile>& profiles();
const Profile* find_profile(const std::string& name);

// Why a device of this profile can't compute the node; empty if it can.
std::string refusal(const Profile& profile, const ggml_tensor* node);

}  // namespace kazeia::sim
