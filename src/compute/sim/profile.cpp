#include "compute/sim/profile.h"

#include <algorithm>

#include "compute/sim/profiles.h"

namespace kazeia::sim {
namespace {

// What each demand asks of a node, and how its refusal reads.
struct Check {
  Demand demand;
  bool (*holds)(const ggml_tensor* node);
  const char* otherwise;
};

const ggml_tensor* a_of(const ggml_tensor* node) { return node->src[0]; }
const ggml_tensor* b_of(const ggml_tensor* node) { return node->src[1]; }

bool not_permuted(const ggml_tensor* node) {
  return !ggml_is_permuted(node) && !ggml_is_permuted(a_of(node)) && !(b_of(node) && ggml_is_permuted(b_of(node)));
}

bool same_type(const ggml_tensor* node) {
  return a_of(node)->type == node->type && (!b_of(node) || b_of(node)->type == node->type);
}

bool batch_divides(const ggml_tensor* node) {
  const ggml_tensor* a = a_of(node);
  const ggml_tensor* b = b_of(node);
  return b->ne[2] % a->ne[2] == 0 && b->ne[3] % a->ne[3] == 0;
}

bool soft_max_row(const ggml_tensor* node) {
  const int64_t width = a_of(node)->ne[0];
  return node->src[2] == nullptr && (width <= 32 || width % 32 == 0) && a_of(node)->ne[2] <= 512;
}

bool rope_kind(const ggml_tensor* node) {
  const int num_rotated = node->op_params[1], mode = node->op_params[2];
  return num_rotated >= 0 && num_rotated % 2 == 0 && (mode == GGML_ROPE_TYPE_NORMAL || mode == GGML_ROPE_TYPE_NEOX);
}

constexpr Check kChecks[] = {
    {kContiguousA, [](const ggml_tensor* n) { return ggml_is_contiguous(a_of(n)); }, "the operand is not contiguous"},
    {kContiguousRowsA, [](const ggml_tensor* n) { return ggml_is_contiguous_rows(a_of(n)); },
     "the operand's rows are not contiguous"},
    {kContiguousB, [](const ggml_tensor* n) { return !b_of(n) || ggml_is_contiguous(b_of(n)); },
     "the second operand is not contiguous"},
    {kContiguousResult, [](const ggml_tensor* n) { return ggml_is_contiguous(n); }, "the result is not contiguous"},
    {kNotPermuted, not_permuted, "an operand is permuted"},
    {kSameShape, [](const ggml_tensor* n) { return ggml_are_same_shape(a_of(n), n); },
     "operand and result differ in shape"},
    {kRepeatsB, [](const ggml_tensor* n) { return ggml_can_repeat(b_of(n), a_of(n)); },
     "the second operand does not repeat to the first's shape"},
    {kSameType, same_type, "operands and result differ in type"},
    {kResultTypeOfA, [](const ggml_tensor* n) { return a_of(n)->type == n->type; },
     "operand and result differ in type"},
    {kBatchDivides, batch_divides, "the leading sizes of the matrices do not divide each other"},
    {kWholeBlocks, [](const ggml_tensor* n) { return !ggml_is_quantized(a_of(n)->type) || a_of(n)->ne[0] % 32 == 0; },
     "rows of the quantised matrix are no whole blocks of 32"},
    {kSoftMaxRow, soft_max_row, "rows are neither at most 32 values nor whole groups of 32"},
    {kRopeKind, rope_kind, "this kind of rotation is not known"},
    {kShapeIfTypeDiffers,
     [](const ggml_tensor* n) { return a_of(n)->type == n->type || ggml_are_same_shape(a_of(n), n); },
     "shape and type change at once"},
    {kSameShapeAB, [](const ggml_tensor* n) { return !b_of(n) || ggml_are_same_shape(a_of(n), b_of(n)); },
     "the operands differ in shape"},
    {kMaskOfHalves, [](const ggml_tensor* n) { return !n->src[3] || n->src[3]->type == GGML_TYPE_F16; },
     "the mask is not f16"},
};

int variant_of(const ggml_tensor* node) {
  if (node->op == GGML_OP_UNARY) return ggml_get_unary_op(node);
  if (node->op == GGML_OP_GLU) return ggml_get_glu_op(node);
  return -1;
}

std::string wrong_type(const char* which, const ggml_tensor* value) {
  return std::string(which) + " of type " + ggml_type_name(value->type);
}

// Why this rule does not admit the node; empty if it does.
std::string objection(const OpRule& rule, const ggml_tensor* node) {
  if (a_of(node) && !rule.a.empty() && !rule.a.has(a_of(node)->type)) return wrong_type("first operand", a_of(node));
  if (b_of(node) && !rule.b.empty() && !rule.b.has(b_of(node)->type)) return wrong_type("second operand", b_of(node));
  if (!rule.result.empty() && !rule.result.has(node->type)) return wrong_type("result", node);
  for (const Check& check : kChecks)
    if ((rule.demands & check.demand) != 0 && !check.holds(node)) return check.otherwise;
  if (rule.max_rows_b > 0 && ggml_nrows(b_of(node)) > rule.max_rows_b) {
    return std::to_string(ggml_nrows(b_of(node))) + " rows in the second operand, at most " +
           std::to_string(rule.max_rows_b);
  }
  return "";
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = {hexagon_2026_05(), hexagon_2026_05_hidden(), hexagon_2026_11()};
  return all;
}

const Profile* find_profile(const std::string& name) {
  const auto found = std::ranges::find_if(profiles(), [&](const Profile& profile) {
    return profile.name == name || (name == "hexagon" && profile.name == "hexagon-2026-05");
  });
  return found == profiles().end() ? nullptr : &*found;
}

std::string refusal(const Profile& profile, const ggml_tensor* node) {
  switch (node->op) {
    case GGML_OP_NONE:
    case GGML_OP_RESHAPE:
    case GGML_OP_VIEW:
    case GGML_OP_PERMUTE:
    case GGML_OP_TRANSPOSE: return "";
    default: break;
  }
  // Several rules of one operation are alternatives; the last one's objection is told.
  std::string reason = "the operation is not implemented";
  for (const OpRule& rule : profile.rules) {
    if (rule.op != node->op || (rule.variant >= 0 && rule.variant != variant_of(node))) continue;
    reason = objection(rule, node);
    if (reason.empty()) return "";
  }
  return reason;
}

}  // namespace kazeia::sim
