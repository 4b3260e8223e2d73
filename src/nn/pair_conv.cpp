#include "nn/pair_conv.h"

#include <algorithm>
#include <vector>

#include "compute/quantize.h"
#include "kernels/pack.h"

namespace kazeia::nn {
namespace {

// Output rows whose inputs are rounded at once, for all panels: few enough to stay in the second-level cache.
constexpr int kRowBlock = 128;

ConvOutput from_row(ConvOutput out, int row) {
  const int64_t offset = row * out.stride;
  if (out.y) out.y += offset;
  if (out.residual) out.residual += offset;
  if (out.snaked) out.snaked += offset;
  return out;
}

}  // namespace

Result<HugeBuffer> load_pairs(const TensorSource& source, const std::string& name, const ConvShape& shape,
                              const Kernels& kernels) {
  const TensorInfo* info = source.find(name);
  KZ_CHECK(info && block_values(info->dtype) == 1);
  KZ_TRY(HugeBuffer packed, HugeBuffer::allocate(packed_pairs_bytes(shape, kernels.panel_columns)));
  std::vector<std::byte> scratch;
  KZ_TRY(const auto bytes, source.read(name, scratch));

  const auto channels = static_cast<size_t>(shape.in_channels), outputs = static_cast<size_t>(shape.out_channels);
  const size_t row_bytes = bytes.size() / (static_cast<size_t>(shape.taps) * outputs);
  const size_t stride = static_cast<size_t>(num_pairs(shape.in_channels)) * 2;
  std::vector<float> row(channels);
  std::vector<uint16_t> rounded(outputs * stride);  // of one tap
  for (int tap = 0; tap < shape.taps; ++tap) {
    for (size_t out = 0; out < outputs; ++out) {
      dequantize_row(info->dtype, bytes.subspan((static_cast<size_t>(tap) * outputs + out) * row_bytes, row_bytes),
                     row);
      kernels.round_row(row.data(), shape.in_channels, rounded.data() + out * stride);
    }
    pack_pairs(rounded.data(), tap, shape, kernels.panel_columns, packed.data());
  }
  source.release(name);
  return packed;
}

void conv_of_pairs(const Kernels& kernels, const float* x, const std::byte* w, const float* bias,
                   const ConvShape& shape, const ConvRange& range, const ConvOutput& out) {
  // One for each thread that computes, as large as its largest convolution needs: no allocation after the first calls.
  static thread_local std::vector<uint16_t> window;
  const int stride = num_pairs(shape.in_channels) * 2;
  for (int first = range.row_begin; first < range.row_end; first += kRowBlock) {
    const int num_rows = std::min(kRowBlock, range.row_end - first);
    const int num_inputs = num_rows + (shape.taps - 1) * shape.dilation;
    const auto size = static_cast<size_t>(num_inputs) * static_cast<size_t>(stride);
    if (window.size() < size) window.resize(size);
    for (int row = 0; row < num_inputs; ++row)
      kernels.round_row(x + int64_t{first + row} * shape.in_channels, shape.in_channels,
                        window.data() + int64_t{row} * stride);
    kernels.conv_pairs(window.data(), stride, w, bias, shape, {0, num_rows, range.panel_begin, range.panel_end},
                       from_row(out, first));
  }
}

}  // namespace kazeia::nn
