// The Hexagon HTP as the pinned ggml's driver serves it: ggml_backend_hexagon_device_supports_op and the functions that
// it calls (ggml-hexagon.cpp of 0.25.3). tests/device/ compares this table with that code.
// Not modelled: the sizes that its on-chip memory (8 MiB) bounds, which our layers don't reach.
#include "compute/sim/profiles.h"

namespace kazeia::sim {
namespace {

constexpr Types kF32 = {GGML_TYPE_F32};
constexpr Types kF16 = {GGML_TYPE_F16};
constexpr Types kI32 = {GGML_TYPE_I32};
constexpr Types kFloats = {GGML_TYPE_F32, GGML_TYPE_F16};
constexpr Types kCopied = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_I32};
constexpr Types kIndices = {GGML_TYPE_I32, GGML_TYPE_I64};
constexpr Types kQuantised = {GGML_TYPE_Q8_0, GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_IQ4_NL, GGML_TYPE_MXFP4};

constexpr uint32_t kElementwise = kNotPermuted | kSameShape | kRepeatsB | kSameType;
constexpr uint32_t kUnary = kContiguousRowsA | kContiguousResult | kSameShape | kResultTypeOfA;

void add_products(std::vector<OpRule>& rules) {
  const auto add = [&](Types a, Types b, uint32_t demands) {
    rules.push_back({.op = GGML_OP_MUL_MAT, .a = a, .b = b, .result = kF32, .demands = demands | kBatchDivides});
  };
  add(kQuantised, kFloats, kContiguousA | kWholeBlocks);
  add(kF16, kFloats, 0);
  add(kF32, kF32, 0);
}

void add_copies(std::vector<OpRule>& rules) {
  rules.push_back({.op = GGML_OP_CPY, .a = kFloats, .result = kFloats, .demands = kShapeIfTypeDiffers});
  rules.push_back({.op = GGML_OP_CPY, .a = kCopied, .result = kI32, .demands = kSameShape});
  rules.push_back({.op = GGML_OP_CPY, .a = kI32, .result = kF32, .demands = kSameShape});
  rules.push_back({.op = GGML_OP_CONT, .a = kCopied});
  rules.push_back({.op = GGML_OP_REPEAT, .a = kFloats, .demands = kResultTypeOfA});
  rules.push_back({.op = GGML_OP_CONCAT, .a = kCopied, .b = kCopied});
  rules.push_back({.op = GGML_OP_PAD, .a = kF32, .result = kF32});
  rules.push_back({.op = GGML_OP_GET_ROWS, .a = kCopied, .b = kIndices, .demands = kResultTypeOfA});
  rules.push_back({.op = GGML_OP_GET_ROWS, .a = kF16, .b = kIndices, .result = kF32});
  rules.push_back({.op = GGML_OP_GET_ROWS, .a = {GGML_TYPE_Q8_0, GGML_TYPE_Q4_0}, .b = kIndices, .result = kF32});
  rules.push_back(
      {.op = GGML_OP_SET_ROWS, .a = kF32, .b = kIndices, .result = {GGML_TYPE_F32, GGML_TYPE_F16, GGML_TYPE_Q8_0}});
  rules.push_back({.op = GGML_OP_IM2COL, .b = kF32, .result = kFloats, .demands = kContiguousB | kContiguousResult});
}

void add_unary(std::vector<OpRule>& rules) {
  for (const ggml_op op : {GGML_OP_NORM, GGML_OP_RMS_NORM, GGML_OP_L2_NORM, GGML_OP_SCALE, GGML_OP_CLAMP, GGML_OP_SQR,
                           GGML_OP_SQRT, GGML_OP_LOG})
    rules.push_back({.op = op, .a = kFloats, .demands = kUnary});
  for (const ggml_unary_op op :
       {GGML_UNARY_OP_NEG, GGML_UNARY_OP_EXP, GGML_UNARY_OP_SIGMOID, GGML_UNARY_OP_SOFTPLUS, GGML_UNARY_OP_TANH,
        GGML_UNARY_OP_SILU, GGML_UNARY_OP_GELU, GGML_UNARY_OP_GELU_QUICK, GGML_UNARY_OP_GELU_ERF, GGML_UNARY_OP_RELU})
    rules.push_back({.op = GGML_OP_UNARY, .variant = op, .a = kF32, .demands = kUnary});
  for (const ggml_unary_op op : {GGML_UNARY_OP_ABS, GGML_UNARY_OP_STEP})
    rules.push_back({.op = GGML_OP_UNARY, .variant = op, .a = kFloats, .demands = kUnary});
  for (const ggml_glu_op op : {GGML_GLU_OP_SWIGLU, GGML_GLU_OP_GEGLU, GGML_GLU_OP_GEGLU_QUICK, GGML_GLU_OP_GEGLU_ERF}) {
    rules.push_back(
        {.op = GGML_OP_GLU, .variant = op, .a = kFloats, .demands = kContiguousResult | kSameShapeAB | kSameType});
  }
}

std::vector<OpRule> rules() {
  std::vector<OpRule> rules;
  add_products(rules);
  add_copies(rules);
  add_unary(rules);
  for (const ggml_op op : {GGML_OP_ADD, GGML_OP_SUB, GGML_OP_MUL, GGML_OP_DIV})
    rules.push_back({.op = op, .a = kFloats, .demands = kElementwise});
  for (const ggml_op op : {GGML_OP_SUM, GGML_OP_SUM_ROWS})
    rules.push_back({.op = op, .a = kF32, .result = kF32, .demands = kContiguousA});
  for (const ggml_op op : {GGML_OP_ARGMAX, GGML_OP_ARGSORT, GGML_OP_TOP_K})
    rules.push_back({.op = op, .a = kF32, .result = kI32, .demands = op == GGML_OP_ARGMAX ? kContiguousA : 0U});
  rules.push_back({.op = GGML_OP_ROPE, .a = kF32, .b = kI32, .result = kF32, .demands = kRopeKind | kSameShape});
  rules.push_back({.op = GGML_OP_SOFT_MAX,
                   .a = kF32,
                   .b = kFloats,
                   .result = kF32,
                   .demands = kContiguousA | kContiguousB | kSoftMaxRow});
  rules.push_back(
      {.op = GGML_OP_FLASH_ATTN_EXT, .a = kFloats, .b = {GGML_TYPE_F16, GGML_TYPE_Q8_0}, .demands = kMaskOfHalves});
  return rules;
}

}  // namespace

Profile hexagon_2026_11() {
  return {.name = "hexagon-2026-11",
          .description = "simulated Hexagon HTP, rules of the pinned ggml",
          .rules = rules(),
          .memory_bytes = size_t{2} << 30,
          .max_buffer_bytes = size_t{1} << 30,
          .host_visible = false,
          .rounds_to_f16 = true,
          // The same figures as for 2026-05: nothing newer was measured.
          .figures = {.ms_per_call = 5.0, .copy_gb_per_s = 10.0, .gmac_per_s = 1000.0, .weights_gb_per_s = 30.0}};
}

}  // namespace kazeia::sim
