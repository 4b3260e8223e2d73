#include "nn/fused_conv.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "compute/quantize.h"
#include "kernels/tile_conv.h"
#include "nn/pair_conv.h"

namespace kazeia::nn {
namespace {

// Rows that one pass over the weights takes: their inputs should stay in the second-level cache, but few rows would
// read the weights too often.
constexpr int kMinRowBlock = 256;
constexpr int kInputBlockBytes = 256 << 10;
// Rows that threads share are whole tiles of most kernels.
constexpr int kRowUnit = 8;

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

// The taps of one output, [taps, 1, C], seen as a matrix.
ConvShape matrix_of_taps(const ConvShape& shape) {
  return {.in_channels = shape.in_channels, .out_channels = shape.taps};
}

}  // namespace

bool suits_bf16(DType dtype) { return kernels().has_bf16_dots && dtype != DType::f32; }

Result<std::shared_ptr<const FusedConv>> FusedConv::load(const TensorSource& source, const std::string& weight,
                                                         const std::string& bias, ConvMath math) {
  KZ_TRY(const TensorInfo* info, find_float_tensor(source, weight));
  const Shape& shape = info->shape;
  KZ_CHECK(shape.num_dims() == 2 || shape.num_dims() == 3);
  const std::shared_ptr<FusedConv> conv(new FusedConv);
  conv->kernels_ = &kazeia::kernels();
  conv->math_ = math;
  conv->type_ = conv_type(info->dtype);
  conv->shape_ = {.in_channels = static_cast<int>(shape[shape.num_dims() - 1]),
                  .out_channels = static_cast<int>(shape[shape.num_dims() - 2]),
                  .taps = shape.num_dims() == 3 ? static_cast<int>(shape[0]) : 1,
                  .dilation = 1};

  KZ_RETURN_IF_ERROR(conv->load_weights(source, weight, info->dtype));
  if (!bias.empty()) KZ_RETURN_IF_ERROR(conv->load_bias(source, bias));
  return std::shared_ptr<const FusedConv>(conv);
}

Status FusedConv::load_weights(const TensorSource& source, const std::string& name, DType dtype) {
  const int columns = kernels_->panel_columns;
  if (math_ == ConvMath::bf16) {
    KZ_TRY(packed_, load_pairs(source, name, shape_, *kernels_));
    return ok();
  }
  std::vector<std::byte> scratch;
  KZ_TRY(const auto bytes, source.read(name, scratch));
  if (math_ == ConvMath::winograd) {
    KZ_CHECK(shape_.taps == Winograd::kTaps);
    KZ_TRY(packed_, HugeBuffer::allocate(filter_values_bytes(shape_, columns)));
    std::vector<float> taps(static_cast<size_t>(source.find(name)->shape.num_elements()));
    dequantize_row(dtype, bytes, taps);
    pack_filter_values(taps, shape_, columns, packed_.data());
  } else {
    const ConvShape packed_shape = gives_samples() ? matrix_of_taps(shape_) : shape_;
    KZ_TRY(packed_, HugeBuffer::allocate(packed_conv_bytes(type_, packed_shape, columns)));
    pack_conv(bytes.data(), type_, packed_shape, columns, packed_.data());
  }
  source.release(name);
  return ok();
}

Status FusedConv::load_bias(const TensorSource& source, const std::string& name) {
  KZ_TRY(const TensorInfo* info, find_float_tensor(source, name));
  std::vector<std::byte> scratch;
  KZ_TRY(const auto bytes, source.read(name, scratch));
  std::vector<float> phase(static_cast<size_t>(info->shape.num_elements()));
  dequantize_row(info->dtype, bytes, phase);
  KZ_CHECK(!phase.empty() && out_channels() % static_cast<int>(phase.size()) == 0);
  while (bias_.size() < static_cast<size_t>(out_channels())) bias_.insert(bias_.end(), phase.begin(), phase.end());
  return ok();
}

Tensor FusedConv::apply(Graph& g, Tensor x, int dilation) const {
  const int64_t num_rows = x.rows() - int64_t{taps() - 1} * dilation;
  KZ_CHECK(math_ != ConvMath::winograd && num_rows > 0 && x.channels() == in_channels() && ggml_is_contiguous(x.node));
  ggml_tensor* args[] = {x.node};
  return {ggml_custom_4d(g.context(), GGML_TYPE_F32, out_channels(), num_rows, 1, 1, args, 1, compute_node,
                         GGML_N_TASKS_MAX, const_cast<FusedConv*>(this))};
}

void FusedConv::compute_node(ggml_tensor* dst, int thread, int num_threads, void* self) {
  const FusedConv& conv = *static_cast<const FusedConv*>(self);
  const ggml_tensor* x = dst->src[0];
  const auto num_rows = static_cast<int>(dst->ne[1]);
  const int dilation = conv.taps() > 1 ? static_cast<int>(x->ne[1] - num_rows) / (conv.taps() - 1) : 1;
  conv.compute(static_cast<const float*>(x->data), dilation, conv.share(num_rows, thread, num_threads),
               {.y = static_cast<float*>(dst->data), .stride = conv.out_channels()});
}

bool FusedConv::shares_panels(int num_rows, int num_threads) const {
  return num_panels() % num_threads == 0 || num_panels() >= 8 * num_threads || num_rows < kRowUnit * num_threads;
}

ConvRange FusedConv::share(int num_rows, int thread, int num_threads) const {
  if (shares_panels(num_rows, num_threads)) {
    const auto [begin, end] = share_of(num_panels(), 1, thread, num_threads);
    return {0, num_rows, begin, end};
  }
  const auto [begin, end] = share_of(num_rows, kRowUnit, thread, num_threads);
  return {begin, end, 0, num_panels()};
}

ConvRange FusedConv::share_tiles(int num_rows, const WinogradTiles& tiles, int thread, int num_threads) const {
  if (shares_panels(num_rows, num_threads)) return share(num_rows, thread, num_threads);
  const auto [begin, end] = share_of(tiles.group_of_row(num_rows), 1, thread, num_threads);
  return {tiles.row_of_group(begin), tiles.row_of_group(end), 0, num_panels()};
}

void FusedConv::compute(const float* x, int dilation, const ConvRange& range, const ConvOutput& out) const {
  ConvShape shape = shape_;
  shape.dilation = dilation;
  if (math_ == ConvMath::bf16) {
    conv_of_pairs(*kernels_, x, packed_.data(), bias(), shape, range, out);
    return;
  }
  const PackedConv packed{packed_.data(), type_, bias()};
  const int row_block = std::max(kMinRowBlock, kInputBlockBytes / (shape.in_channels * 4));
  for (int row = range.row_begin; row < range.row_end; row += row_block) {
    const ConvRange rows{row, std::min(range.row_end, row + row_block), range.panel_begin, range.panel_end};
    if (gives_samples()) {
      compute_samples(x, dilation, rows, out);
    } else {
      kernels_->conv(x, shape.in_channels, packed, shape, rows, out);
    }
  }
}

bool FusedConv::gives_samples() const {
  return math_ == ConvMath::f32 && out_channels() == 1 && taps() > 1 && taps() <= kernels_->panel_columns;
}

// The products of every input row with every tap, which fill a panel's columns, then their sums along the taps.
void FusedConv::compute_samples(const float* x, int dilation, const ConvRange& range, const ConvOutput& out) const {
  KZ_CHECK(out.y && !out.residual && !out.snaked);
  static thread_local std::vector<float> products;  // [inputs, columns]
  const int columns = kernels_->panel_columns;
  const int num_inputs = range.row_end - range.row_begin + (taps() - 1) * dilation;
  const size_t size = static_cast<size_t>(num_inputs) * static_cast<size_t>(columns);
  if (products.size() < size) products.resize(size);
  kernels_->conv(x + int64_t{range.row_begin} * in_channels(), in_channels(), {packed_.data(), type_, nullptr},
                 {.in_channels = in_channels(), .out_channels = columns}, {0, num_inputs, 0, 1},
                 {.y = products.data(), .stride = columns});
  const float* first = products.data();
  for (int row = range.row_begin; row < range.row_end; ++row, first += columns) {
    float sum = bias_.empty() ? 0.0F : bias_.front();
    for (int tap = 0; tap < taps(); ++tap) sum += first[int64_t{tap} * dilation * columns + tap];
    out.y[row * out.stride] = sum;
  }
}

void FusedConv::compute_tiles(const float* x, const WinogradTiles& tiles, const ConvRange& range,
                              const ConvOutput& out) const {
  static thread_local TileSpace space;  // no allocation after the first calls
  conv_by_tiles(*kernels_, x, packed_.data(), bias(), shape_, tiles, range, out, space);
}

FusedSnake FusedSnake::of(const SnakeWeights& w, int repeats) {
  FusedSnake snake;
  const auto append = [](const Tensor& from, std::vector<float>& to) {
    KZ_CHECK(from.node->type == GGML_TYPE_F32);
    const auto* values = static_cast<const float*>(from.node->data);
    to.insert(to.end(), values, values + ggml_nelements(from.node));
  };
  for (int i = 0; i < repeats; ++i) {
    append(w.alpha, snake.alpha);
    append(w.inv_beta, snake.inv_beta);
  }
  return snake;
}

}  // namespace kazeia::nn
