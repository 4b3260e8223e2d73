#include "formats/random_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "formats/half.h"

namespace kazeia {
namespace {

constexpr float kSqrt3 = 1.7320508F;  // a uniform value in -1..1 has a standard deviation of 1 / sqrt(3)

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Number of products summed into one output value.
float fan_in(const TensorSpec& spec) {
  const bool is_conv = spec.recipe == TensorRecipe::conv_taps || spec.recipe == TensorRecipe::tconv_taps;
  const int64_t taps = is_conv || spec.recipe == TensorRecipe::depthwise ? spec.shape[0] : 1;
  return static_cast<float>(taps * (spec.recipe == TensorRecipe::depthwise ? 1 : spec.shape.last()));
}

float codec_gain(std::string_view name) {
  if (contains(name, "wave.conv_out")) return 1.5F;
  if (contains(name, "conv2")) return 0.25F;  // the branch of a residual unit
  return contains(name, "wave.") ? 0.5F : 1.0F;
}

RandomRange exact_range(const TensorSpec& spec) {
  const std::string_view name = spec.name;
  if (contains(name, "codebooks.")) return {0, 0.5F};
  if (contains(name, "quantizer.") || contains(name, "dwconv.weight")) return {0, 1 / std::sqrt(fan_in(spec))};
  if (name.ends_with(".bias")) return {0, 0.02F};
  if (contains(name, "_scale.")) return {0.3F, 0.05F};
  if (contains(name, "gamma.")) return {0.3F, 0.1F};
  return {1, 0.1F};  // norms, snake alpha and inv_beta
}

template <class T>
void store(std::span<std::byte> out, size_t index, T value) {
  std::memcpy(out.data() + index * sizeof(T), &value, sizeof(T));
}

// -1 (included) to 1 (not) from 16 bits.
float unit(uint64_t bits) { return static_cast<float>(static_cast<int16_t>(bits & 0xFFFFU)) * 0x1p-15F; }

// Calls put(index, value) for each of num_values.
template <class Put>
void for_each_value(uint64_t key, RandomRange range, size_t num_values, const Put& put) {
  const float half_width = kSqrt3 * range.std;
  for (size_t i = 0; i < num_values; i += 4) {
    const uint64_t bits = random_bits(key, i / 4);
    const size_t count = std::min<size_t>(4, num_values - i);
    for (size_t j = 0; j < count; ++j) put(i + j, range.mean + half_width * unit(bits >> (16 * j)));
  }
}

// Standard deviations of the integers -127..127 and -7..7, all equally likely: sqrt((n^2 - 1) / 12) for n = 255, 15.
constexpr float kInt8Std = 73.61F;
constexpr float kInt4Std = 4.3205F;

// 32 int8 in -127..127 with one f16 scale.
void fill_q8_0(uint64_t key, RandomRange range, std::span<std::byte> out) {
  const uint16_t scale = float_to_f16(range.std / kInt8Std);
  uint64_t counter = 0;
  for (size_t block = 0; block < out.size(); block += 34) {
    std::array<int8_t, 32> values;
    for (size_t i = 0; i < 32; i += 8) {
      const uint64_t bits = random_bits(key, counter++);
      std::memcpy(values.data() + i, &bits, 8);
    }
    for (int8_t& value : values) value = std::max<int8_t>(value, -127);
    store(out.subspan(block), 0, scale);
    std::memcpy(out.data() + block + 2, values.data(), 32);
  }
}

// 32 nibbles in 1..15, which stand for -7..7, with one f16 scale.
void fill_q4_0(uint64_t key, RandomRange range, std::span<std::byte> out) {
  const uint16_t scale = float_to_f16(range.std / kInt4Std);
  uint64_t counter = 0;
  const auto nibble = [](uint32_t byte) { return byte * 15U / 256U + 1U; };
  for (size_t block = 0; block < out.size(); block += 18) {
    std::array<uint8_t, 32> bytes;
    for (size_t i = 0; i < 32; i += 8) {
      const uint64_t bits = random_bits(key, counter++);
      std::memcpy(bytes.data() + i, &bits, 8);
    }
    store(out.subspan(block), 0, scale);
    for (size_t i = 0; i < 16; ++i) {
      out[block + 2 + i] = static_cast<std::byte>(nibble(bytes[i]) | (nibble(bytes[i + 16]) << 4));
    }
  }
}

}  // namespace

RandomRange random_range(const TensorSpec& spec) {
  const std::string_view name = spec.name;
  if (spec.role == TensorRole::exact) return exact_range(spec);
  if (spec.role == TensorRole::table) return {0, contains(name, "text_embedding") ? 1.0F : 0.2F};
  const float unit_gain = 1 / std::sqrt(fan_in(spec));
  if (spec.role == TensorRole::codec_matrix) return {0, codec_gain(name) * unit_gain};
  return {0, contains(name, "text_projection") ? unit_gain : 0.64F * unit_gain};  // 0.02 at a width of 1,024
}

uint64_t random_key(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3U;
  return random_bits(hash, seed);
}

void fill_random(uint64_t key, RandomRange range, std::span<float> out) {
  for_each_value(key, range, out.size(), [&](size_t i, float value) { out[i] = value; });
}

void fill_random(uint64_t key, RandomRange range, DType dtype, std::span<std::byte> out) {
  const size_t num_blocks = out.size() / block_bytes(dtype);
  switch (dtype) {
    case DType::f32:
      return for_each_value(key, range, num_blocks, [&](size_t i, float value) { store(out, i, value); });
    case DType::f16:
      return for_each_value(key, range, num_blocks, [&](size_t i, float value) { store(out, i, float_to_f16(value)); });
    case DType::bf16:
      return for_each_value(key, range, num_blocks,
                            [&](size_t i, float value) { store(out, i, float_to_bf16(value)); });
    case DType::q8_0: return fill_q8_0(key, range, out);
    case DType::q4_0: return fill_q4_0(key, range, out);
  }
}

}  // namespace kazeia
