#include "compute/coverage.h"

#include <ggml.h>

#include <algorithm>

#include "compute/tensor.h"

namespace kazeia {
namespace {

std::string describe_value(const ggml_tensor* value) {
  return to_string(Tensor{const_cast<ggml_tensor*>(value)}.shape()) + " " + ggml_type_name(value->type);
}

}  // namespace

bool is_view(const ggml_tensor* node) {
  switch (node->op) {
    case GGML_OP_NONE:
    case GGML_OP_RESHAPE:
    case GGML_OP_VIEW:
    case GGML_OP_PERMUTE:
    case GGML_OP_TRANSPOSE: return true;
    default: return false;
  }
}

int64_t multiply_adds(const ggml_tensor* node) {
  return node->op == GGML_OP_MUL_MAT ? ggml_nelements(node) * node->src[0]->ne[0] : 0;
}

std::string op_name(const ggml_tensor* node) { return ggml_op_desc(node); }

std::string describe_node(const ggml_tensor* node) {
  std::string operands;
  for (const ggml_tensor* source : node->src)
    if (source) operands += (operands.empty() ? "" : ", ") + describe_value(source);
  return describe_value(node) + " = " + op_name(node) + "(" + operands + ")";
}

void Coverage::refuse(const ggml_tensor* node, const std::string& reason) {
  const std::string shapes = describe_node(node);
  const auto known = std::ranges::find_if(
      refused, [&](const RefusedNodes& other) { return other.shapes == shapes && other.reason == reason; });
  if (known != refused.end()) {
    ++known->count;
    return;
  }
  refused.push_back({.op = op_name(node), .node = node->name, .shapes = shapes, .reason = reason, .count = 1});
}

}  // namespace kazeia
