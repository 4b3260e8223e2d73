// A graph under construction: nn/ and stages add nodes to it, then a Plan runs it many times.
#pragma once
#include <string>
#include <vector>

#include "compute/ggml_ptr.h"
#include "compute/tensor.h"

namespace kazeia {

class Graph {
 public:
  // max_nodes bounds the number of operations, views included.
  explicit Graph(int max_nodes = 4096);

  ggml_context* context() const { return context_.get(); }
  ggml_cgraph* nodes() const { return graph_; }

  // A value set before each run.
  Tensor input(const char* name, DType dtype, const Shape& shape);
  // Row or position indices set before each run.
  Tensor input_i32(const char* name, int64_t count);
  Tensor input_i64(const char* name, int64_t count);
  // Keeps the value readable after the run.
  Tensor output(const char* name, Tensor value);
  // Makes sure that a node with a side effect (a store into a cache) runs, and before everything expanded later.
  void run_now(Tensor value) { ggml_build_forward_expand(graph_, value.node); }

 private:
  GgmlContextPtr context_;
  ggml_cgraph* graph_ = nullptr;
};

}  // namespace kazeia
