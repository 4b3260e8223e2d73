// A small codec with random weights, for tests of the decoder.
#pragma once
#include <cmath>
#include <memory>
#include <random>

#include "formats/tensor_manifest.h"
#include "support/memory_source.h"
#include "support/random_values.h"

namespace kazeia::test {

// Every kind of layer, unequal rates, and a window short enough to be left soon. 48 samples a frame.
inline CodecConfig toy_codec_config() {
  CodecConfig config;
  config.pre_transformer = {.hidden_size = 24,
                            .intermediate_size = 40,
                            .num_layers = 2,
                            .num_heads = 4,
                            .num_kv_heads = 2,
                            .head_size = 8,
                            .rms_norm_eps = 1e-5F,
                            .rope_theta = 1e4F};
  config.sliding_window = 6;
  config.num_quantizers = 5;
  config.codebook_size = 40;
  config.codebook_dim = 20;
  config.latent_dim = 28;
  config.decoder_dim = 32;
  config.upsampling_ratios = {2, 1};
  config.upsample_rates = {4, 3, 2};
  return config;
}

// Weights that keep a signal's size, so that it neither dies out nor sticks to the clamp: scales near one, small
// biases. `dtype`: of what may be rounded.
inline std::shared_ptr<MemorySource> toy_codec(const CodecConfig& config, uint32_t seed, DType dtype = DType::f32) {
  ModelConfig model;
  model.codec = config;
  std::mt19937 random(seed);
  auto source = std::make_shared<MemorySource>();
  for (const TensorSpec& spec : codec_manifest(model)) {
    const bool is_vector = spec.shape.num_dims() == 1;
    const bool is_bias = spec.name.ends_with("bias");
    const bool is_last_conv = spec.name == "codec.wave.conv_out.weight";
    const int64_t num_taps = spec.shape.num_dims() == 3 ? spec.shape[0] : 1;
    const int64_t fan_in = spec.recipe == TensorRecipe::depthwise || is_vector ? 7 : spec.shape.last() * num_taps;
    const float scale = is_bias ? 0.05F : std::sqrt((is_last_conv ? 0.05F : 2.0F) / static_cast<float>(fan_in));
    std::vector<float> values = random_values(spec.shape.num_elements(), scale, random);
    if (is_vector && !is_bias)
      for (float& value : values) value = 1.0F + 0.3F * value;
    source->add(spec.name, spec.shape, values, spec.role == TensorRole::codec_matrix ? dtype : DType::f32);
  }
  return source;
}

}  // namespace kazeia::test
