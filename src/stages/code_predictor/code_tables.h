// The code tables in a device's memory, as the frame graph reads them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compute/weights.h"
#include "formats/tensor_source.h"
#include "sampling/graph_sampler.h"

namespace kazeia {

// The type in which the code predictor hears codes: f16 on a device beside the CPU, whichever way it makes a frame.
DType code_table_type(const Device& device, DType stored);

class CodeTables {
 public:
  // names: tables [V, width].
  static Result<CodeTables> load(const std::shared_ptr<const TensorSource>& source,
                                 const std::vector<std::string>& names, const Device& device, DrawWay way);

  // The drawn code's row of a table: [1, width]
  Tensor row(Graph& g, size_t table, const GraphDraw& draw) const;

 private:
  explicit CodeTables(Weights weights) : weights_(std::move(weights)) {}

  Weights weights_;
  std::vector<Tensor> tables_;  // [V, width]; by one-hot: [width, V]
};

}  // namespace kazeia
