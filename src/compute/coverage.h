// What of a part's graphs runs where, and what it costs: counted, not measured.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct ggml_tensor;

namespace kazeia {

// A kind of node that a device refused.
struct RefusedNodes {
  std::string op;      // "SIN"
  std::string node;    // the first one's name, or empty
  std::string shapes;  // "[1920, 96] f32 = SIN([1920, 96] f32)": rows first, as everywhere
  std::string reason;  // in the device's words where it has some
  int64_t count = 0;   // nodes of this op and shapes, in all graphs built
};

// Of all graphs of a part. Views and reshapes compute nothing and are not counted.
struct Coverage {
  // Of the graphs built so far.
  int64_t num_graphs = 0;
  int64_t device_nodes = 0, cpu_nodes = 0;
  std::vector<RefusedNodes> refused;

  // Of the runs so far.
  int64_t device_calls = 0;  // graphs, or pieces of graphs, that the device was given
  int64_t uploads = 0, downloads = 0;
  int64_t bytes_up = 0, bytes_down = 0;   // values, without the weights at load
  int64_t device_macs = 0, cpu_macs = 0;  // multiply-adds of matrix products

  int64_t device_matrix_bytes = 0;  // that products on the device read

  // In the device's memory.
  int64_t weight_bytes = 0;

  void refuse(const ggml_tensor* node, const std::string& reason);
};

// Whether a node only looks at another's memory.
bool is_view(const ggml_tensor* node);
// Multiply-adds of a matrix product; 0 for all other nodes.
int64_t multiply_adds(const ggml_tensor* node);
// "[4, 1024] f32 = MUL_MAT([2048, 1024] q8_0, [4, 1024] f32)"
std::string describe_node(const ggml_tensor* node);
// "SIN"; variants of one ggml operation have names of their own ("SILU", "SWIGLU").
std::string op_name(const ggml_tensor* node);

}  // namespace kazeia
