#include "nn/fused_conv.h"

#include <algorithm>

#include "compute/quantize.h"
#include "kernels/pack.h"

namespace kazeia::nn {
namespace {

// Rows that one pass over the weights takes: their inputs should stay in the second-level cache, but few rows would
// read the weights too often.
constexpr int kMinRowBlock = 256;
constexpr int kInputBlockBytes = 256 << 10;

ConvType conv_type(DType dtype) {
  switch (dtype) {
    case DType::f16: return ConvType::f16;
    case DType::bf16: return ConvType::bf16;
    default: return ConvType::f32;
  }
}

Result<const TensorInfo*> find_float_tensor(const TensorSource& source, const std::string& name) {
  const TensorInfo* info = source.find(name);
  if (!info) return Error{ErrorCode::bad_model, source.path() + ": " + name + ": the tensor is missing"};
  if (block_values(info->dtype) != 1) {
    return Error{ErrorCode::bad_model,
                 source.path() + ": " + name + ": expected f32, f16 or bf16, found " + dtype_name(info->dtype)};
  }
  return info;
}

// A thread's share of `total` in whole units.
std::pair<int, int> share(int total, int unit, int thread, int num_threads) {
  const int units = (total + unit - 1) / unit;
  return {std::min(total, units * thread / num_threads * unit),
          std::min(total, units * (thread + 1) / num_threads * unit)};
}

void compute_snake(ggml_tensor* dst, int thread, int num_threads, void*) {
  const ggml_tensor* x = dst->src[0];
  const auto channels = static_cast<int>(x->ne[0]);
  const auto [begin, end] = share(static_cast<int>(x->ne[1]), 1, thread, num_threads);
  const auto at = static_cast<std::ptrdiff_t>(begin) * channels;
  kernels().snake(static_cast<const float*>(x->data) + at, static_cast<const float*>(dst->src[1]->data),
                  static_cast<const float*>(dst->src[2]->data), static_cast<float*>(dst->data) + at, channels,
                  end - begin);
}

}  // namespace

Result<std::shared_ptr<const FusedConv>> FusedConv::load(const TensorSource& source, const std::string& weight,
                                                         const std::string& bias) {
  KZ_TRY(const TensorInfo* info, find_float_tensor(source, weight));
  KZ_TRY(const TensorInfo* bias_info, find_float_tensor(source, bias));
  const Shape& shape = info->shape;
  KZ_CHECK(shape.num_dims() == 2 || shape.num_dims() == 3);
  const std::shared_ptr<FusedConv> conv(new FusedConv);
  conv->kernels_ = &kernels();
  conv->type_ = conv_type(info->dtype);
  conv->shape_ = {.in_channels = static_cast<int>(shape[shape.num_dims() - 1]),
                  .out_channels = static_cast<int>(shape[shape.num_dims() - 2]),
                  .taps = shape.num_dims() == 3 ? static_cast<int>(shape[0]) : 1,
                  .dilation = 1};

  const int columns = conv->kernels_->panel_columns;
  std::vector<std::byte> scratch;
  KZ_TRY(conv->packed_, HugeBuffer::allocate(packed_conv_bytes(conv->type_, conv->shape_, columns)));
  KZ_TRY(const auto bytes, source.read(weight, scratch));
  pack_conv(bytes.data(), conv->type_, conv->shape_, columns, conv->packed_.data());
  source.release(weight);

  std::vector<float> phase(static_cast<size_t>(bias_info->shape.num_elements()));
  KZ_TRY(const auto bias_bytes, source.read(bias, scratch));
  dequantize_row(bias_info->dtype, bias_bytes, phase);
  KZ_CHECK(!phase.empty() && conv->out_channels() % static_cast<int>(phase.size()) == 0);
  while (conv->bias_.size() < static_cast<size_t>(conv->out_channels()))
    conv->bias_.insert(conv->bias_.end(), phase.begin(), phase.end());
  return std::shared_ptr<const FusedConv>(conv);
}

Tensor FusedConv::apply(Graph& g, Tensor x, int dilation) const {
  const int64_t num_rows = x.rows() - int64_t{taps() - 1} * dilation;
  KZ_CHECK(num_rows > 0 && x.channels() == in_channels() && ggml_is_contiguous(x.node));
  ggml_tensor* args[] = {x.node};
  return {ggml_custom_4d(g.context(), GGML_TYPE_F32, out_channels(), num_rows, 1, 1, args, 1, compute, GGML_N_TASKS_MAX,
                         const_cast<FusedConv*>(this))};
}

// Threads share the panels where there are enough of them, else the rows.
void FusedConv::compute(ggml_tensor* dst, int thread, int num_threads, void* self) {
  const FusedConv& conv = *static_cast<const FusedConv*>(self);
  const ggml_tensor* x = dst->src[0];
  const auto num_rows = static_cast<int>(dst->ne[1]);
  ConvShape shape = conv.shape_;
  if (shape.taps > 1) shape.dilation = static_cast<int>(x->ne[1] - num_rows) / (shape.taps - 1);
  const int panels = num_panels(shape.out_channels, conv.kernels_->panel_columns);
  const bool by_panels = panels % num_threads == 0 || panels >= 8 * num_threads;
  const auto [panel_begin, panel_end] = by_panels ? share(panels, 1, thread, num_threads) : std::pair(0, panels);
  const auto [row_begin, row_end] = by_panels ? std::pair(0, num_rows) : share(num_rows, 8, thread, num_threads);

  const PackedConv packed{conv.packed_.data(), conv.type_, conv.bias_.data()};
  const int row_block = std::max(kMinRowBlock, kInputBlockBytes / (shape.in_channels * 4));
  for (int row = row_begin; row < row_end; row += row_block) {
    const ConvRange range{row, std::min(row_end, row + row_block), panel_begin, panel_end};
    conv.kernels_->conv(static_cast<const float*>(x->data), shape.in_channels, packed, shape, range,
                        {.y = static_cast<float*>(dst->data), .stride = shape.out_channels});
  }
}

Tensor fused_snake(Graph& g, Tensor x, Tensor alpha, Tensor inv_beta) {
  KZ_CHECK(ggml_is_contiguous(x.node));
  ggml_tensor* args[] = {x.node, alpha.node, inv_beta.node};
  return {ggml_custom_4d(g.context(), GGML_TYPE_F32, x.channels(), x.rows(), 1, 1, args, 3, compute_snake,
                         GGML_N_TASKS_MAX, nullptr)};
}

}  // namespace kazeia::nn
