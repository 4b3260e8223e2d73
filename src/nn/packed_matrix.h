// Quantised weights in the order of the CPU kernels.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/huge_buffer.h"
#include "formats/tensor_source.h"
#include "kernels/kernels.h"

namespace kazeia::nn {

// Activation rows [M, K], quantised in groups of 32. Sized once; rows are written by quantize().
class QuantRows {
 public:
  void resize(int num_rows, int depth);
  // Columns [begin, end) of row `row`, both multiples of 32, from x (the whole row's first value).
  void quantize(const Kernels& kernels, int row, const float* x, int begin, int end);
  int depth() const { return depth_; }
  QuantRow first_row() const { return {q_.data(), scale_.data(), sum_.data()}; }  // the others follow it

 private:
  int depth_ = 0;
  std::vector<int8_t> q_;
  std::vector<float> scale_;
  std::vector<int32_t> sum_;
};

// y = x W^T for W: [rows, depth] in q8_0 or q4_0.
class PackedMatrix {
 public:
  // Whether the kernels can take this tensor: quantised, rows in whole groups of 16.
  static bool fits(const TensorInfo& info);
  // Bytes that load() takes from the arena. The tensor must fit.
  static size_t packed_bytes(const TensorInfo& info);
  // The matrix lives in the arena.
  static Result<PackedMatrix> load(const TensorSource& source, const std::string& name, HugeArena& arena);

  int num_rows() const { return num_rows_; }
  int num_groups() const { return num_rows_ / kPackedRows; }

  // y[m, r] for rows m < num_x and the packed groups [group_begin, group_end); y: rows of y_stride floats. The
  // weights are read once for every 64 rows of x.
  void multiply(const Kernels& kernels, const QuantRows& x, int num_x, float* y, int64_t y_stride, int group_begin,
                int group_end) const;

 private:
  bool four_bits_ = false;
  int num_rows_ = 0;
  int num_blocks_ = 0;
  const std::byte* packed_ = nullptr;
};

// All values of a tensor, whatever its type: the biases and norms beside the matrices.
Result<std::vector<float>> read_floats(const TensorSource& source, const std::string& name);

}  // namespace kazeia::nn
