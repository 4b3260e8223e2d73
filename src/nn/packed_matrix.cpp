#include "nn/packed_matrix.h"

#include "compute/quantize.h"
#include "kernels/pack.h"

namespace kazeia::nn {

void QuantRows::resize(int num_rows, int depth) {
  depth_ = depth;
  const auto count = static_cast<size_t>(num_rows) * static_cast<size_t>(depth);
  if (q_.size() >= count) return;
  q_.resize(count);
  scale_.resize(count / kGroup);
  sum_.resize(count / kGroup);
}

void QuantRows::quantize(const Kernels& kernels, int row, const float* x, int begin, int end) {
  const auto at = static_cast<size_t>(row) * static_cast<size_t>(depth_) + static_cast<size_t>(begin);
  kernels.quantize(x + begin, end - begin, q_.data() + at, scale_.data() + at / kGroup, sum_.data() + at / kGroup);
}

bool PackedMatrix::fits(const TensorInfo& info) {
  return (info.dtype == DType::q8_0 || info.dtype == DType::q4_0) && info.shape.num_dims() == 2 &&
         info.shape[0] % kPackedRows == 0;
}

size_t PackedMatrix::packed_bytes(const TensorInfo& info) {
  const auto num_rows = static_cast<int>(info.shape[0]);
  const auto num_blocks = static_cast<int>(info.shape[1] / kGroup);
  return info.dtype == DType::q4_0 ? packed_q4_bytes(num_rows, num_blocks) : packed_q8_bytes(num_rows, num_blocks);
}

Result<PackedMatrix> PackedMatrix::load(const TensorSource& source, const std::string& name, HugeArena& arena) {
  const TensorInfo* info = source.find(name);
  KZ_CHECK(info && fits(*info));
  PackedMatrix matrix;
  matrix.four_bits_ = info->dtype == DType::q4_0;
  matrix.num_rows_ = static_cast<int>(info->shape[0]);
  matrix.num_blocks_ = static_cast<int>(info->shape[1] / kGroup);
  std::byte* packed = arena.take(packed_bytes(*info));
  std::vector<std::byte> scratch;
  KZ_TRY(const auto blocks, source.read(name, scratch));
  const auto pack = matrix.four_bits_ ? pack_q4 : pack_q8;
  pack(blocks.data(), matrix.num_rows_, matrix.num_blocks_, packed);
  matrix.packed_ = packed;
  source.release(name);
  return matrix;
}

void PackedMatrix::multiply(const Kernels& kernels, const QuantRows& x, int num_x, float* y, int64_t y_stride,
                            int group_begin, int group_end) const {
  KZ_CHECK(x.depth() == num_blocks_ * kGroup);
  (four_bits_ ? kernels.matmul_q4 : kernels.matmul_q8)(packed_, x.first_row(), num_x, num_blocks_, y, y_stride,
                                                       group_begin, group_end);
}

Result<std::vector<float>> read_floats(const TensorSource& source, const std::string& name) {
  const TensorInfo* info = source.find(name);
  if (!info) return Error{ErrorCode::bad_model, source.path() + ": " + name + ": the tensor is missing"};
  std::vector<std::byte> scratch;
  KZ_TRY(const auto bytes, source.read(name, scratch));
  std::vector<float> values(static_cast<size_t>(info->shape.num_elements()));
  dequantize_row(info->dtype, bytes, values);
  return values;
}

}  // namespace kazeia::nn
