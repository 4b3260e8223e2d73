// A value in a graph. Shapes are row-major here and everywhere above; ggml's reversed order stays inside compute/ and
// nn/.
#pragma once
#include <ggml.h>

#include "base/shape.h"
#include "formats/dtype.h"

namespace kazeia {

struct Tensor {
  ggml_tensor* node = nullptr;

  explicit operator bool() const { return node != nullptr; }
  // All four ggml sizes reversed, leading ones dropped down to num_dims.
  int64_t size(int dim_from_last) const { return node->ne[dim_from_last]; }
  int64_t channels() const { return node->ne[0]; }  // last, contiguous
  int64_t rows() const { return node->ne[1]; }      // time
  Shape shape() const;
};

ggml_type to_ggml_type(DType dtype);

// Sizes in ggml's order, padded with ones.
struct GgmlSizes {
  int64_t ne[kMaxDims] = {1, 1, 1, 1};
  explicit GgmlSizes(const Shape& shape);
};

}  // namespace kazeia
