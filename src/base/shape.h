// Sizes of a tensor, row-major: the last dimension is contiguous. The only convention outside compute/graph.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/result.h"

namespace kazeia {

inline constexpr int kMaxDims = 4;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : Shape(sizes.begin(), static_cast<int>(sizes.size())) {}
  Shape(const int64_t* sizes, int num_dims) : num_dims_(num_dims) {
    KZ_CHECK(num_dims >= 0 && num_dims <= kMaxDims);
    for (int i = 0; i < num_dims; ++i) sizes_[static_cast<size_t>(i)] = sizes[i];
  }

  int num_dims() const { return num_dims_; }
  int64_t operator[](int dim) const { return sizes_[static_cast<size_t>(dim)]; }
  int64_t last() const { return num_dims_ == 0 ? 1 : sizes_[static_cast<size_t>(num_dims_ - 1)]; }

  // Product of the sizes; 1 for a scalar. Readers bound each size, so this does not overflow.
  int64_t num_elements() const {
    int64_t product = 1;
    for (int i = 0; i < num_dims_; ++i) product *= sizes_[static_cast<size_t>(i)];
    return product;
  }

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxDims> sizes_{};
  int num_dims_ = 0;
};

// "[2048, 1024]"
inline std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.num_dims(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace kazeia
