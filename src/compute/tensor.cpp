#include "compute/tensor.h"

namespace kazeia {

Shape Tensor::shape() const {
  int64_t sizes[kMaxDims];
  const int num_dims = ggml_n_dims(node);
  for (int i = 0; i < num_dims; ++i) sizes[i] = node->ne[num_dims - 1 - i];
  return Shape(sizes, num_dims);
}

ggml_type to_ggml_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return GGML_TYPE_F32;
    case DType::f16: return GGML_TYPE_F16;
    case DType::bf16: return GGML_TYPE_BF16;
    case DType::q8_0: return GGML_TYPE_Q8_0;
    case DType::q4_0: return GGML_TYPE_Q4_0;
  }
  return GGML_TYPE_F32;
}

GgmlSizes::GgmlSizes(const Shape& shape) {
  for (int i = 0; i < shape.num_dims(); ++i) ne[shape.num_dims() - 1 - i] = shape[i];
}

}  // namespace kazeia
