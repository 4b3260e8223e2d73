#include "formats/recipes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "formats/half.h"

namespace kazeia {
namespace {

// memcpy instead of a cast: the bytes of a mapped file need not be aligned.
template <class T>
T load(std::span<const std::byte> bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::byte> bytes, int64_t index, T value) {
  std::memcpy(bytes.data() + static_cast<size_t>(index) * sizeof(T), &value, sizeof(T));
}

// [out, in, k] -> [k, out, in]; depthwise is the case in = 1 with the size-1 dimension dropped.
template <class T>
void rearrange_conv(const Shape& official, std::span<const std::byte> in, std::span<std::byte> out) {
  const int64_t rows = official[0], columns = official[1], taps = official[2];
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      for (int64_t column = 0; column < columns; ++column) {
        store(out, (tap * rows + row) * columns + column, load<T>(in, (row * columns + column) * taps + tap));
      }
    }
  }
}

// [in, out, m * s] -> [m, s * out, in], see TensorRecipe::tconv_taps. Input channels go in blocks, so that the lines of
// the source, which are far apart, are still in the cache for the next tap.
template <class T>
void rearrange_tconv(const Shape& official, int64_t num_taps, std::span<const std::byte> in, std::span<std::byte> out) {
  constexpr int64_t kBlock = 64;
  const int64_t columns = official[0], channels = official[1], kernel = official[2];
  const int64_t stride = kernel / num_taps;
  for (int64_t begin = 0; begin < columns; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, columns);
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t k = 0; k < kernel; ++k) {
        const int64_t tap = num_taps - 1 - k / stride, phase = k % stride;
        const int64_t row = (tap * stride + phase) * channels + channel;
        for (int64_t column = begin; column < end; ++column) {
          store(out, row * columns + column, load<T>(in, (column * channels + channel) * kernel + k));
        }
      }
    }
  }
}

template <class T>
void rearrange_elements(const TensorSpec& spec, std::span<const std::byte> in, std::span<std::byte> out) {
  const Shape& official = spec.sources[0].shape;
  switch (spec.recipe) {
    case TensorRecipe::conv_taps:
    case TensorRecipe::depthwise: return rearrange_conv<T>(official, in, out);
    case TensorRecipe::tconv_taps: return rearrange_tconv<T>(official, spec.shape[0], in, out);
    default: std::copy(in.begin(), in.end(), out.begin());
  }
}

std::vector<float> as_floats(StoredElements source) {
  std::vector<float> values(source.bytes.size() / block_bytes(source.dtype));
  to_float(source, values);
  return values;
}

// EuclideanCodebook.decode: embedding_sum / cluster_usage.clamp(min=epsilon)
void divide_by_usage(StoredElements embedding_sum, StoredElements cluster_usage, std::span<float> out) {
  constexpr float kEpsilon = 1e-5F;
  const std::vector<float> usage = as_floats(cluster_usage);
  to_float(embedding_sum, out);
  const size_t width = out.size() / usage.size();
  for (size_t row = 0; row < usage.size(); ++row) {
    const float divisor = std::max(usage[row], kEpsilon);
    for (float& value : out.subspan(row * width, width)) value /= divisor;
  }
}

}  // namespace

bool keeps_elements(TensorRecipe recipe) {
  switch (recipe) {
    case TensorRecipe::copy:
    case TensorRecipe::conv_taps:
    case TensorRecipe::depthwise:
    case TensorRecipe::tconv_taps: return true;
    case TensorRecipe::codebook:
    case TensorRecipe::exponential:
    case TensorRecipe::inv_beta: return false;
  }
  return false;
}

void rearrange(const TensorSpec& spec, StoredElements source, std::span<std::byte> out) {
  KZ_CHECK(keeps_elements(spec.recipe) && source.bytes.size() == out.size());
  if (source.dtype == DType::f32) return rearrange_elements<uint32_t>(spec, source.bytes, out);
  rearrange_elements<uint16_t>(spec, source.bytes, out);
}

void to_float(StoredElements source, std::span<float> out) {
  KZ_CHECK(source.bytes.size() == out.size() * block_bytes(source.dtype));
  switch (source.dtype) {
    case DType::f32:
      if (!out.empty()) std::memcpy(out.data(), source.bytes.data(), source.bytes.size());
      return;
    case DType::f16:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = f16_to_float(load<uint16_t>(source.bytes, static_cast<int64_t>(i)));
      }
      return;
    case DType::bf16:
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = bf16_to_float(load<uint16_t>(source.bytes, static_cast<int64_t>(i)));
      }
      return;
    default: KZ_CHECK(false);  // a checkpoint holds f32, f16 or bf16
  }
}

void apply_recipe(const TensorSpec& spec, std::span<const StoredElements> sources, std::span<float> out) {
  if (spec.recipe == TensorRecipe::codebook) return divide_by_usage(sources[0], sources[1], out);
  if (keeps_elements(spec.recipe)) {
    const std::vector<float> values = as_floats(sources[0]);
    return rearrange(spec, {DType::f32, std::as_bytes(std::span(values))}, std::as_writable_bytes(out));
  }
  to_float(sources[0], out);
  if (spec.recipe == TensorRecipe::exponential) {
    for (float& value : out) value = std::exp(value);
  } else {  // SnakeBeta.no_div_by_zero
    for (float& value : out) value = 1.0F / (std::exp(value) + 1e-9F);
  }
}

}  // namespace kazeia
