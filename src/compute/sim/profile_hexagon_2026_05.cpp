// The Hexagon HTP as Kazeia's first engine met it: ggml's driver of May 2026, on a Snapdragon tablet.
// Its rules: no product of more than 1,024 rows, no convolution operation of any kind, no sine.
#include "compute/sim/profiles.h"

namespace kazeia::sim {
namespace {

constexpr Types kF32 = {GGML_TYPE_F32};
constexpr Types kFloats = {GGML_TYPE_F32, GGML_TYPE_F16};
constexpr Types kIndices = {GGML_TYPE_I32, GGML_TYPE_I64};
constexpr Types kMatrices = {GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0, GGML_TYPE_MXFP4};

constexpr uint32_t kElementwise = kNotPermuted | kSameShape | kRepeatsB | kSameType;
constexpr uint32_t kUnary = kContiguousRowsA | kContiguousResult | kSameShape;

std::vector<OpRule> rules() {
  std::vector<OpRule> rules = {
      {.op = GGML_OP_MUL_MAT,
       .a = kMatrices,
       .b = kFloats,
       .result = kF32,
       .demands = kWholeBlocks | kBatchDivides,
       .max_rows_b = 1024},
      {.op = GGML_OP_GLU,
       .variant = GGML_GLU_OP_SWIGLU,
       .a = kF32,
       .b = kF32,
       .result = kF32,
       .demands = kContiguousResult | kSameShapeAB},
      {.op = GGML_OP_ROPE, .a = kF32, .b = kIndices, .result = kF32, .demands = kRopeKind | kSameShape},
      {.op = GGML_OP_SOFT_MAX,
       .a = kF32,
       .b = kFloats,
       .result = kF32,
       .demands = kContiguousA | kContiguousB | kSoftMaxRow},
      {.op = GGML_OP_FLASH_ATTN_EXT, .a = kFloats, .b = {GGML_TYPE_F16}, .demands = kMaskOfHalves},
      {.op = GGML_OP_GET_ROWS, .a = kFloats, .b = kIndices, .result = kF32},
      {.op = GGML_OP_SET_ROWS, .a = kF32, .b = kIndices, .result = kFloats},
      {.op = GGML_OP_CPY, .a = kFloats, .result = kFloats, .demands = kShapeIfTypeDiffers},
      {.op = GGML_OP_CONT, .a = kFloats, .result = kFloats},
      {.op = GGML_OP_REPEAT, .a = kFloats, .result = kFloats},
      {.op = GGML_OP_CONCAT, .a = kFloats, .b = kFloats},
      {.op = GGML_OP_PAD, .a = kF32, .result = kF32},
  };
  for (const ggml_op op : {GGML_OP_ADD, GGML_OP_SUB, GGML_OP_MUL, GGML_OP_DIV})
    rules.push_back({.op = op, .a = kFloats, .demands = kElementwise});
  for (const ggml_op op : {GGML_OP_RMS_NORM, GGML_OP_NORM, GGML_OP_SCALE, GGML_OP_SQR, GGML_OP_SQRT, GGML_OP_SUM_ROWS})
    rules.push_back({.op = op, .a = kF32, .result = kF32, .demands = op == GGML_OP_SUM_ROWS ? kContiguousA : kUnary});
  for (const ggml_unary_op op : {GGML_UNARY_OP_NEG, GGML_UNARY_OP_EXP, GGML_UNARY_OP_SIGMOID, GGML_UNARY_OP_SOFTPLUS,
                                 GGML_UNARY_OP_TANH, GGML_UNARY_OP_SILU, GGML_UNARY_OP_GELU})
    rules.push_back({.op = GGML_OP_UNARY, .variant = op, .a = kF32, .result = kF32, .demands = kUnary});
  return rules;
}

}  // namespace

Profile hexagon_2026_05() {
  return {.name = "hexagon-2026-05",
          .description = "simulated Hexagon HTP, rules of May 2026",
          .rules = rules(),
          .memory_bytes = size_t{2} << 30,
          .max_buffer_bytes = size_t{1} << 30,
          .host_visible = true,
          .rounds_to_f16 = true,
          // 5 ms: measured by the first engine on its tablet. The rest is assumed: see docs/devices.md.
          .figures = {.ms_per_call = 5.0, .copy_gb_per_s = 10.0, .gmac_per_s = 1000.0, .weights_gb_per_s = 30.0}};
}

Profile hexagon_2026_05_hidden() {
  Profile profile = hexagon_2026_05();
  profile.name += "-hidden";
  profile.description += ", memory hidden from the CPU";
  profile.host_visible = false;
  return profile;
}

}  // namespace kazeia::sim
