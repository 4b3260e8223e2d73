// links: kazeia_formats
// The list of tensors, and the arithmetic that makes ours from the official ones, against naive definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "formats/half.h"
#include "formats/random_model.h"
#include "formats/random_values.h"
#include "formats/recipes.h"
#include "formats/storage_type.h"
#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

std::vector<float> random_floats(size_t count, uint64_t seed) {
  std::vector<float> values(count);
  fill_random(random_key(seed, "test"), {0, 1}, values);
  return values;
}

StoredElements as_stored(const std::vector<float>& values) { return {DType::f32, std::as_bytes(std::span(values))}; }

std::vector<float> apply(const TensorSpec& spec, const std::vector<std::vector<float>>& sources) {
  std::vector<StoredElements> stored;
  for (const auto& source : sources) stored.push_back(as_stored(source));
  std::vector<float> out(static_cast<size_t>(spec.shape.num_elements()));
  apply_recipe(spec, stored, out);
  return out;
}

TEST(Manifest, every_name_is_unique_and_fits_into_ggml) {
  for (const char* size : {"0.6b", "1.7b", "tiny-mtp"}) {
    std::set<std::string> ours, official;
    for (const TensorSpec& spec : tensor_manifest(*random_model_config(size))) {
      EXPECT_TRUE(ours.insert(spec.name).second) << spec.name;
      EXPECT_LT(spec.name.size(), 64U) << spec.name;
      for (const OfficialTensor& source : spec.sources) EXPECT_TRUE(official.insert(source.name).second) << source.name;
    }
  }
}

TEST(Manifest, the_published_sizes_have_the_published_number_of_weights) {
  int64_t talker = 0, total = 0;
  const ModelConfig config = *random_model_config("0.6b");
  for (const TensorSpec& spec : talker_manifest(config)) talker += spec.shape.num_elements();
  for (const TensorSpec& spec : tensor_manifest(config)) total += spec.shape.num_elements();
  EXPECT_NEAR(static_cast<double>(talker), 766e6, 8e6);  // 440 M in layers, 311 M text embeddings, heads
  EXPECT_NEAR(static_cast<double>(total), 1.02e9, 4e7);
}

TEST(Manifest, the_projection_exists_only_between_different_widths) {
  const auto has_projection = [](const char* size) {
    for (const TensorSpec& spec : code_predictor_manifest(*random_model_config(size))) {
      if (spec.name == "code_predictor.input_proj.weight") return true;
    }
    return false;
  };
  EXPECT_FALSE(has_projection("0.6b"));
  EXPECT_TRUE(has_projection("1.7b"));
  EXPECT_FALSE(has_projection("tiny"));
  EXPECT_TRUE(has_projection("tiny-mtp"));
}

TEST(Manifest, a_single_code_group_needs_no_code_predictor) {
  ModelConfig config = *random_model_config("tiny");
  config.talker.num_code_groups = config.codec.num_quantizers = 1;
  EXPECT_TRUE(validate(config, "test"));
  EXPECT_TRUE(code_predictor_manifest(config).empty());
}

// y[t] = sum over j of taps[j] x[t - (k - 1 - j) * dilation]: tap 0 meets the oldest input, as in Conv1d.
TEST(Recipes, conv_taps_are_the_kernel_with_the_tap_first) {
  const int64_t out = 3, in = 2, k = 4;
  const TensorSpec spec{
      .name = "", .shape = {k, out, in}, .recipe = TensorRecipe::conv_taps, .sources = {{"", {out, in, k}}}};
  const auto official = random_floats(24, 1);
  const auto ours = apply(spec, {official});
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t j = 0; j < k; ++j) {
        EXPECT_EQ(ours[static_cast<size_t>((j * out + o) * in + i)],
                  official[static_cast<size_t>((o * in + i) * k + j)]);
      }
    }
  }
}

TEST(Recipes, depthwise_taps_come_first) {
  const TensorSpec spec{.name = "", .shape = {7, 5}, .recipe = TensorRecipe::depthwise, .sources = {{"", {5, 1, 7}}}};
  const auto official = random_floats(35, 2);
  const auto ours = apply(spec, {official});
  for (size_t c = 0; c < 5; ++c) {
    for (size_t j = 0; j < 7; ++j) EXPECT_EQ(ours[j * 5 + c], official[c * 7 + j]);
  }
}

// A causal ConvTranspose1d [in, out, m * s] as PyTorch defines it: output s * t + k gets w[:, :, k] x[t]; the last
// (m - 1) * s outputs are cut off.
std::vector<double> transposed_conv(const std::vector<float>& w, const std::vector<float>& x, int64_t in, int64_t out,
                                    int64_t m, int64_t s, int64_t num_steps) {
  std::vector<double> y(static_cast<size_t>(num_steps * s * out));
  for (int64_t t = 0; t < num_steps; ++t) {
    for (int64_t k = 0; k < m * s; ++k) {
      const int64_t at = t * s + k;
      if (at >= num_steps * s) continue;
      for (int64_t i = 0; i < in; ++i) {
        for (int64_t o = 0; o < out; ++o) {
          y[static_cast<size_t>(at * out + o)] +=
              static_cast<double>(w[static_cast<size_t>((i * out + o) * m * s + k)]) *
              static_cast<double>(x[static_cast<size_t>(t * in + i)]);
        }
      }
    }
  }
  return y;
}

TEST(Recipes, a_transposed_conv_is_a_causal_conv_with_the_phases_as_channels) {
  const int64_t in = 70, out = 3, num_steps = 5;  // 70: more than one block of input channels
  for (const auto& [m, s] : {std::pair<int64_t, int64_t>{1, 2}, {2, 3}, {2, 8}, {3, 2}}) {
    const TensorSpec spec{
        .name = "", .shape = {m, s * out, in}, .recipe = TensorRecipe::tconv_taps, .sources = {{"", {in, out, m * s}}}};
    const auto official = random_floats(static_cast<size_t>(in * out * m * s), 3);
    const auto x = random_floats(static_cast<size_t>(num_steps * in), 4);
    const auto taps = apply(spec, {official});
    const auto expected = transposed_conv(official, x, in, out, m, s, num_steps);
    for (int64_t t = 0; t < num_steps; ++t) {
      for (int64_t row = 0; row < s * out; ++row) {
        double sum = 0;
        for (int64_t j = 0; j < m; ++j) {
          const int64_t at = t - (m - 1 - j);
          for (int64_t i = 0; i < in && at >= 0; ++i) {
            sum += static_cast<double>(taps[static_cast<size_t>((j * s * out + row) * in + i)]) *
                   static_cast<double>(x[static_cast<size_t>(at * in + i)]);
          }
        }
        // Row r * out + o of step t is channel o of output step s * t + r: the same place in memory.
        EXPECT_NEAR(sum, expected[static_cast<size_t>(t * s * out + row)], 1e-12);
      }
    }
  }
}

TEST(Recipes, a_codebook_is_the_sum_divided_by_the_clamped_usage) {
  const TensorSpec spec{
      .name = "", .shape = {2, 3}, .recipe = TensorRecipe::codebook, .sources = {{"", {2, 3}}, {"", {2}}}};
  const auto ours = apply(spec, {{1, 2, 3, 4, 5, 6}, {2, 0}});
  EXPECT_EQ(ours, (std::vector<float>{0.5F, 1, 1.5F, 4 / 1e-5F, 5 / 1e-5F, 6 / 1e-5F}));
}

TEST(Recipes, snake_parameters_are_folded) {
  const TensorSpec alpha{.name = "", .shape = {3}, .recipe = TensorRecipe::exponential, .sources = {{"", {3}}}};
  const TensorSpec inv_beta{.name = "", .shape = {3}, .recipe = TensorRecipe::inv_beta, .sources = {{"", {3}}}};
  const std::vector<float> x = {-1.5F, 0, 0.25F};
  const auto a = apply(alpha, {x}), b = apply(inv_beta, {x});
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_FLOAT_EQ(a[i], std::exp(x[i]));
    EXPECT_FLOAT_EQ(b[i], 1 / (std::exp(x[i]) + 1e-9F));
  }
}

TEST(Recipes, moving_elements_keeps_their_type_and_works_at_odd_addresses) {
  const TensorSpec spec{
      .name = "", .shape = {2, 2, 2}, .recipe = TensorRecipe::conv_taps, .sources = {{"", {2, 2, 2}}}};
  std::vector<std::byte> image(1 + 16);
  for (size_t i = 0; i < 16; ++i) image[1 + i] = static_cast<std::byte>(i);
  std::vector<std::byte> out(16);
  rearrange(spec, {DType::bf16, std::span<const std::byte>(image).subspan(1)}, out);
  const std::vector<int> order = {0, 2, 4, 6, 1, 3, 5, 7};  // 16-bit elements of [out, in, k] in the order [k, out, in]
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(std::to_integer<int>(out[2 * i]), 2 * order[i]);
}

TEST(Half, every_f16_survives_the_way_to_float_and_back) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = f16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(float_to_f16(value), bits);
  }
  EXPECT_EQ(f16_to_float(float_to_f16(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(f16_to_float(float_to_f16(65520.0F))));
  EXPECT_EQ(float_to_f16(0x1p-25F), 0);              // half of the smallest: ties to even
  EXPECT_EQ(float_to_f16(1.0F + 0x1p-11F), 0x3C00);  // a tie at the last bit
  EXPECT_EQ(float_to_bf16(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(float_to_bf16(1.0F + 3 * 0x1p-8F), 0x3F82);
}

TEST(StorageType, the_role_of_a_tensor_limits_its_type) {
  const TensorSpec matrix{.name = "talker.layers.0.up_proj.weight", .shape = {8, 64}};
  const TensorSpec attention{.name = "talker.layers.0.q_proj.weight", .shape = {8, 64}};
  const TensorSpec table{.name = "t", .shape = {8, 64}, .role = TensorRole::table};
  const TensorSpec codec{.name = "c", .shape = {8, 64}, .role = TensorRole::codec_matrix};
  const TensorSpec exact{.name = "e", .shape = {64}, .role = TensorRole::exact};
  const TensorSpec odd{.name = "o", .shape = {8, 48}};
  using enum StorageType;
  EXPECT_EQ(storage_dtype(matrix, q4_0), DType::q4_0);
  EXPECT_EQ(storage_dtype(matrix, mixed), DType::q4_0);
  EXPECT_EQ(storage_dtype(attention, mixed), DType::q8_0);
  EXPECT_EQ(storage_dtype(table, q4_0), DType::q8_0);
  EXPECT_EQ(storage_dtype(table, bf16), DType::bf16);
  EXPECT_EQ(storage_dtype(codec, q8_0), DType::f16);
  EXPECT_EQ(storage_dtype(codec, bf16), DType::bf16);
  EXPECT_EQ(storage_dtype(exact, q4_0), DType::f32);
  EXPECT_EQ(storage_dtype(odd, q8_0), DType::f16);
  EXPECT_TRUE(has_odd_rows(odd, q8_0));
  EXPECT_FALSE(has_odd_rows(odd, f16));
  for (const char* name : {"f32", "bf16", "f16", "q8_0", "q4_0", "mixed"}) {
    EXPECT_STREQ(storage_type_name(*parse_storage_type(name)), name);
  }
  EXPECT_FALSE(parse_storage_type("q5_k").has_value());
}

}  // namespace
}  // namespace kazeia
