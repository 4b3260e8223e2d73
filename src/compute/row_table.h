// An embedding table whose rows are read one by one from the model's file: they cost no memory.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/tensor_source.h"

namespace kazeia {

// table: [rows, width] in any type. Immutable.
class RowTable {
 public:
  static Result<RowTable> open(std::shared_ptr<const TensorSource> source, const std::string& name);

  int64_t num_rows() const { return info_.shape[0]; }
  int64_t width() const { return info_.shape[1]; }
  // out[i] += table[row, i]; row in [0, num_rows), out.size() == width.
  void add_row(int64_t row, std::span<float> out) const;

 private:
  RowTable(std::shared_ptr<const TensorSource> source, TensorInfo info) : source_(std::move(source)), info_(info) {}

  std::shared_ptr<const TensorSource> source_;
  TensorInfo info_;
  std::vector<std::byte> owned_;  // the table where it had to be computed; empty if it is mapped
  std::span<const std::byte> bytes_;
};

}  // namespace kazeia
