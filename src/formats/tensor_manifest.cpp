#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

// A place in both name spaces; child names are appended to both.
struct Place {
  std::string ours, official;

  Place operator/(const std::pair<std::string, std::string>& names) const {
    return {ours + names.first, official + names.second};
  }
  Place operator/(const std::string& name) const { return {ours + name, official + name}; }
};

class ManifestBuilder {
 public:
  explicit ManifestBuilder(CheckpointPart part) : part_(part) {}

  void add(const Place& place, Shape shape, TensorRole role) { add(place, shape, role, TensorRecipe::copy, shape); }
  void add(const Place& place, Shape shape, TensorRole role, TensorRecipe recipe, Shape official) {
    specs_.push_back({place.ours, shape, role, recipe, part_, {{place.official, official}}});
  }
  void add(TensorSpec spec) {
    spec.part = part_;
    specs_.push_back(std::move(spec));
  }

  // weight [out, in]
  void linear(const Place& place, int64_t out, int64_t in, TensorRole role) { add(place / ".weight", {out, in}, role); }
  // weight [out, in], bias [out]
  void affine(const Place& place, int64_t out, int64_t in, TensorRole role) {
    linear(place, out, in, role);
    vector(place / ".bias", out);
  }
  void vector(const Place& place, int64_t size) { add(place, {size}, TensorRole::exact); }
  void norm(const Place& place, int64_t size) { vector(place / ".weight", size); }

  // Conv1d: weight [k, out, in], bias [out]
  void conv(const Place& place, int64_t out, int64_t in, int64_t k) {
    add(place / ".weight", {k, out, in}, TensorRole::codec_matrix, TensorRecipe::conv_taps, {out, in, k});
    vector(place / ".bias", out);
  }
  // ConvTranspose1d of m taps: weight [m, stride * out, in], bias [out]
  void transposed_conv(const Place& place, int64_t out, int64_t in, int64_t stride, int64_t m) {
    add(place / ".weight", {m, stride * out, in}, TensorRole::codec_matrix, TensorRecipe::tconv_taps,
        {in, out, m * stride});
    vector(place / ".bias", out);
  }
  // SnakeBeta: alpha [C] and inv_beta [C]
  void snake(const Place& place, int64_t size) {
    add(place / ".alpha", {size}, TensorRole::exact, TensorRecipe::exponential, {size});
    add(place / std::pair{".inv_beta", ".beta"}, {size}, TensorRole::exact, TensorRecipe::inv_beta, {size});
  }

  // The part of a Qwen3 layer that talker, code predictor and pre-transformer share.
  void attention_and_mlp(const Place& layer, const LayerStackConfig& stack, TensorRole role) {
    const Place attention = layer / std::pair{"", "self_attn."};
    const Place mlp = layer / std::pair{"", "mlp."};
    const int64_t hidden = stack.hidden_size, head = stack.head_size;
    norm(layer / std::pair{"input_norm", "input_layernorm"}, hidden);
    linear(attention / "q_proj", stack.num_heads * head, hidden, role);
    linear(attention / "k_proj", stack.num_kv_heads * head, hidden, role);
    linear(attention / "v_proj", stack.num_kv_heads * head, hidden, role);
    linear(attention / "o_proj", hidden, stack.num_heads * head, role);
    norm(layer / std::pair{"post_attention_norm", "post_attention_layernorm"}, hidden);
    linear(mlp / "gate_proj", stack.intermediate_size, hidden, role);
    linear(mlp / "up_proj", stack.intermediate_size, hidden, role);
    linear(mlp / "down_proj", hidden, stack.intermediate_size, role);
  }

  // The Qwen3 layers of talker and code predictor, with the norms of queries and keys, and the last norm.
  void layers(const Place& place, const LayerStackConfig& stack) {
    for (int i = 0; i < stack.num_layers; ++i) {
      const Place layer = place / ("layers." + std::to_string(i) + ".");
      attention_and_mlp(layer, stack, TensorRole::matrix);
      norm(layer / std::pair{"q_norm", "self_attn.q_norm"}, stack.head_size);
      norm(layer / std::pair{"k_norm", "self_attn.k_norm"}, stack.head_size);
    }
    norm(place / "norm", stack.hidden_size);
  }

  std::vector<TensorSpec> take() { return std::move(specs_); }

 private:
  CheckpointPart part_;
  std::vector<TensorSpec> specs_;
};

// SplitResidualVectorQuantizer: codebook 0 is rvq_first's, the others are rvq_rest's.
void add_quantizer(ManifestBuilder& b, const CodecConfig& codec) {
  const int64_t size = codec.codebook_size, width = codec.codebook_dim / 2;
  for (int i = 0; i < codec.num_quantizers; ++i) {
    const std::string side = i == 0 ? "rvq_first.vq.layers.0" : "rvq_rest.vq.layers." + std::to_string(i - 1);
    const std::string codebook = "decoder.quantizer." + side + "._codebook.";
    b.add({.name = "codec.quantizer.codebooks." + std::to_string(i) + ".weight",
           .shape = {size, width},
           .role = TensorRole::exact,
           .recipe = TensorRecipe::codebook,
           .sources = {{codebook + "embedding_sum", {size, width}}, {codebook + "cluster_usage", {size}}}});
  }
  const auto projection = [&](const char* ours, const char* official) {
    b.add({ours, official}, {codec.codebook_dim, width}, TensorRole::exact, TensorRecipe::copy,
          {codec.codebook_dim, width, 1});
  };
  projection("codec.quantizer.first_proj.weight", "decoder.quantizer.rvq_first.output_proj.weight");
  if (codec.num_quantizers > 1) {
    projection("codec.quantizer.rest_proj.weight", "decoder.quantizer.rvq_rest.output_proj.weight");
  }
}

// Qwen3TTSTokenizerV2DecoderTransformerModel
void add_pre_transformer(ManifestBuilder& b, const CodecConfig& codec) {
  const LayerStackConfig& stack = codec.pre_transformer;
  const Place place{"codec.pre_transformer.", "decoder.pre_transformer."};
  b.affine(place / "input_proj", stack.hidden_size, codec.latent_dim, TensorRole::codec_matrix);
  for (int i = 0; i < stack.num_layers; ++i) {
    const Place layer = place / ("layers." + std::to_string(i) + ".");
    b.attention_and_mlp(layer, stack, TensorRole::codec_matrix);
    b.vector(layer / std::pair{"attention_scale.weight", "self_attn_layer_scale.scale"}, stack.hidden_size);
    b.vector(layer / std::pair{"mlp_scale.weight", "mlp_layer_scale.scale"}, stack.hidden_size);
  }
  b.norm(place / "norm", stack.hidden_size);
  b.affine(place / "output_proj", codec.latent_dim, stack.hidden_size, TensorRole::codec_matrix);
}

// One CausalTransConvNet with kernel = stride, then one Qwen3TTSTokenizerV2ConvNeXtBlock.
void add_upsample_stage(ManifestBuilder& b, const CodecConfig& codec, size_t index) {
  const int64_t width = codec.latent_dim;
  const Place stage = Place{"codec.", "decoder."} / ("upsample." + std::to_string(index) + ".");
  b.transposed_conv(stage / std::pair{"conv", "0.conv"}, width, width, codec.upsampling_ratios[index], /*m=*/1);
  const Place block = stage / std::pair{"", "1."};
  const Place depthwise = block / std::pair{"dwconv", "dwconv.conv"};
  b.add(depthwise / ".weight", {7, width}, TensorRole::exact, TensorRecipe::depthwise, {width, 1, 7});
  b.vector(depthwise / ".bias", width);
  b.norm(block / "norm", width);
  b.vector(block / "norm.bias", width);
  b.affine(block / "pwconv1", 4 * width, width, TensorRole::codec_matrix);
  b.affine(block / "pwconv2", width, 4 * width, TensorRole::codec_matrix);
  b.vector(block / std::pair{"gamma.weight", "gamma"}, width);
}

// Qwen3TTSTokenizerV2DecoderDecoderResidualUnit
void add_residual_unit(ManifestBuilder& b, const Place& unit, int64_t width) {
  b.snake(unit / std::pair{"snake1", "act1"}, width);
  b.conv(unit / std::pair{"conv1", "conv1.conv"}, width, width, 7);
  b.snake(unit / std::pair{"snake2", "act2"}, width);
  const Place pointwise = unit / std::pair{"conv2", "conv2.conv"};
  b.add(pointwise / ".weight", {width, width}, TensorRole::codec_matrix, TensorRecipe::copy, {width, width, 1});
  b.vector(pointwise / ".bias", width);
}

// Qwen3TTSTokenizerV2Decoder.decoder: conv, one block per upsample rate, snake, conv.
void add_wave(ManifestBuilder& b, const CodecConfig& codec) {
  const Place wave{"codec.wave.", "decoder.decoder."};
  b.conv(wave / std::pair{"conv_in", "0.conv"}, codec.decoder_dim, codec.latent_dim, 7);
  int64_t width = codec.decoder_dim;
  const size_t num_blocks = codec.upsample_rates.size();
  for (size_t i = 0; i < num_blocks; ++i, width /= 2) {
    const Place block = wave / std::pair{"blocks." + std::to_string(i) + ".", std::to_string(i + 1) + ".block."};
    b.snake(block / std::pair{"snake", "0"}, width);
    b.transposed_conv(block / std::pair{"upsample", "1.conv"}, width / 2, width, codec.upsample_rates[i], /*m=*/2);
    for (int unit = 0; unit < 3; ++unit) {
      const std::string ours = "units." + std::to_string(unit) + ".", official = std::to_string(unit + 2) + ".";
      add_residual_unit(b, block / std::pair{ours, official}, width / 2);
    }
  }
  b.snake(wave / std::pair{"snake", std::to_string(num_blocks + 1)}, width);
  b.conv(wave / std::pair{"conv_out", std::to_string(num_blocks + 2) + ".conv"}, 1, width, 7);
}

}  // namespace

bool dtype_allowed(TensorRole role, DType dtype) {
  switch (role) {
    case TensorRole::matrix:
    case TensorRole::table: return true;
    case TensorRole::codec_matrix: return block_values(dtype) == 1;
    case TensorRole::exact: return dtype == DType::f32;
  }
  return false;
}

std::vector<TensorSpec> talker_manifest(const ModelConfig& config) {
  const TalkerConfig& talker = config.talker;
  const int64_t hidden = talker.stack.hidden_size, text_hidden = talker.text_hidden_size;
  ManifestBuilder b(CheckpointPart::model);
  const Place root{"talker.", "talker."}, model{"talker.", "talker.model."};
  b.add(model / "text_embedding.weight", {talker.text_vocab_size, text_hidden}, TensorRole::table);
  const Place projection = root / "text_projection.";
  b.affine(projection / std::pair{"fc1", "linear_fc1"}, text_hidden, text_hidden, TensorRole::matrix);
  b.affine(projection / std::pair{"fc2", "linear_fc2"}, hidden, text_hidden, TensorRole::matrix);
  b.add(model / "codec_embedding.weight", {talker.vocab_size, hidden}, TensorRole::table);
  b.layers(model, talker.stack);
  b.linear(root / "codec_head", talker.vocab_size, hidden, TensorRole::matrix);
  return b.take();
}

std::vector<TensorSpec> code_predictor_manifest(const ModelConfig& config) {
  const LayerStackConfig& stack = config.code_predictor.stack;
  const int64_t talker_hidden = config.talker.stack.hidden_size, vocab = config.code_predictor.vocab_size;
  const int num_acoustic = config.talker.num_code_groups - 1;
  if (num_acoustic == 0) return {};
  ManifestBuilder b(CheckpointPart::model);
  const Place root{"code_predictor.", "talker.code_predictor."};
  const Place model = root / std::pair{"", "model."};
  if (talker_hidden != stack.hidden_size) {
    b.affine(root / std::pair{"input_proj", "small_to_mtp_projection"}, stack.hidden_size, talker_hidden,
             TensorRole::matrix);
  }
  for (int i = 0; i < num_acoustic; ++i) {
    b.add(model / ("codec_embedding." + std::to_string(i) + ".weight"), {vocab, talker_hidden}, TensorRole::table);
  }
  b.layers(model, stack);
  for (int i = 0; i < num_acoustic; ++i) {
    b.linear(root / ("lm_head." + std::to_string(i)), vocab, stack.hidden_size, TensorRole::matrix);
  }
  return b.take();
}

std::vector<TensorSpec> codec_manifest(const ModelConfig& config) {
  const CodecConfig& codec = config.codec;
  ManifestBuilder b(CheckpointPart::speech_tokenizer);
  add_quantizer(b, codec);
  b.conv({"codec.pre_conv", "decoder.pre_conv.conv"}, codec.latent_dim, codec.codebook_dim, 3);
  add_pre_transformer(b, codec);
  for (size_t i = 0; i < codec.upsampling_ratios.size(); ++i) add_upsample_stage(b, codec, i);
  add_wave(b, codec);
  return b.take();
}

std::vector<TensorSpec> tensor_manifest(const ModelConfig& config) {
  std::vector<TensorSpec> all = talker_manifest(config);
  for (auto& part : {code_predictor_manifest(config), codec_manifest(config)})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace kazeia
