// Names of tensors -> weights of each part. The names are those of formats/tensor_manifest.h.
#include "formats/tensor_manifest.h"
#include "nn/device_math.h"
#include "nn/fused_ops.h"
#include "stages/codec/internal.h"

namespace kazeia::codec {
namespace {

constexpr const char* kCodebookPrefix = "codec.quantizer.codebooks.";
constexpr const char* kPreTransformerPrefix = "codec.pre_transformer.";
constexpr const char* kWavePrefix = "codec.wave.";
constexpr const char* kDilatedConv = "conv1";  // of a residual unit

// How the fused lowerings compute a convolution. By tiles, f32 needs 2 of 7 products; bf16 halves the time of one
// at best. The last convolution has one output: pairs gain nothing there, and what it rounds is heard as it is.
nn::ConvMath conv_math(CodecLowering lowering, const std::string& name) {
  if (!name.starts_with(kWavePrefix) || name.ends_with(".conv_out")) return nn::ConvMath::f32;
  if (name.ends_with(kDilatedConv)) return nn::ConvMath::winograd;
  return lowering == CodecLowering::fused_bf16 ? nn::ConvMath::bf16 : nn::ConvMath::f32;
}

// Tensors under one prefix.
struct Lookup {
  const HalfWeights& half;
  const TensorSource& source;
  std::string prefix;

  Lookup under(const std::string& name) const { return {half, source, prefix + name + "."}; }
  Lookup under(const std::string& name, size_t index) const { return under(name + "." + std::to_string(index)); }
  Tensor get(const std::string& name) const { return half.tensors.get(prefix + name); }
  Tensor weight(const std::string& name) const { return get(name + ".weight"); }
  Tensor bias(const std::string& name) const { return get(name + ".bias"); }
  Result<nn::ConvWeights> conv(const std::string& name) const {
    if (half.tensors.find(prefix + name + ".weight")) return nn::ConvWeights{weight(name), bias(name), nullptr};
    KZ_TRY(auto fused, nn::FusedConv::load(source, prefix + name + ".weight", prefix + name + ".bias",
                                           conv_math(half.lowering, prefix + name)));
    return nn::ConvWeights{{}, {}, std::move(fused)};
  }
  // A matrix without a bias; name: whole.
  Result<nn::Matrix> matrix(const std::string& name) const {
    if (const Tensor stored = half.tensors.find(name)) return nn::Matrix(stored);
    KZ_TRY(auto fused, nn::FusedConv::load(source, name, /*bias=*/"", nn::ConvMath::f32));
    return nn::Matrix(std::move(fused));
  }
  nn::SnakeWeights snake(const std::string& name) const {
    const bool on_device = half.lowering == CodecLowering::device;
    return {get(name + ".alpha"), get(name + ".inv_beta"), on_device ? nn::SnakeWay::polynomial : nn::SnakeWay::sine};
  }
};

Result<PreTransformerWeights> pre_transformer_weights(const Lookup& at, int num_layers) {
  PreTransformerWeights w;
  KZ_TRY(w.input_proj, at.conv("input_proj"));
  const auto find_matrix = [&](const std::string& name) { return at.matrix(name); };
  for (int i = 0; i < num_layers; ++i) {
    const std::string prefix = at.under("layers", static_cast<size_t>(i)).prefix;
    KZ_TRY(auto layer, nn::decoder_layer_weights(at.half.tensors, prefix, find_matrix));
    w.layers.push_back(std::move(layer));
  }
  w.norm = at.weight("norm");
  KZ_TRY(w.output_proj, at.conv("output_proj"));
  return w;
}

Result<UpsampleWeights> upsample_weights(const Lookup& at) {
  UpsampleWeights w;
  KZ_TRY(w.conv, at.conv("conv"));
  w.depthwise = {at.weight("dwconv"), at.bias("dwconv"), is_fused(at.half.lowering)};
  w.norm = at.weight("norm");
  w.norm_bias = at.bias("norm");
  KZ_TRY(w.pwconv1, at.conv("pwconv1"));
  KZ_TRY(w.pwconv2, at.conv("pwconv2"));
  w.gamma = at.weight("gamma");
  if (is_fused(at.half.lowering)) {
    w.gelu = nn::fused_gelu;
  } else if (!at.half.rules.exact_gelu) {
    w.gelu = nn::gelu_of_exp;
  }
  return w;
}

Result<WaveBlockWeights> wave_block_weights(const Lookup& at) {
  WaveBlockWeights w;
  KZ_TRY(w.upsample, at.conv("upsample"));
  w.snake = at.snake("snake");
  for (size_t i = 0; i < w.units.size(); ++i) {
    const Lookup unit = at.under("units", i);
    w.units[i].snake1 = unit.snake("snake1");
    w.units[i].snake2 = unit.snake("snake2");
    KZ_TRY(w.units[i].dilated, unit.conv(kDilatedConv));
    KZ_TRY(w.units[i].pointwise, unit.conv("conv2"));
  }
  return w;
}

// Whether the CPU's kernels take the tensor: weights and biases of the pre-transformer's products and of all
// convolutions but the depthwise ones.
bool is_packable(const std::string& name) {
  if (name.starts_with(kPreTransformerPrefix)) return name.find("_proj.") != std::string::npos;
  for (const char* conv :
       {".pre_conv", ".conv", ".pwconv1", ".pwconv2", ".conv_in", ".upsample", ".conv1", ".conv2", ".conv_out"})
    if (name.ends_with(std::string(conv) + ".weight") || name.ends_with(std::string(conv) + ".bias")) return true;
  return false;
}

// Whether products read the tensor: all matrices but those of depthwise convolutions.
bool is_matrix(const std::string& name, const TensorInfo& info) {
  return info.shape.num_dims() >= 2 && !name.ends_with("dwconv.weight");
}

// Fails unless the source has the tensor as the config demands it.
Status check(const TensorSource& tensors, const TensorSpec& spec) {
  const TensorInfo* info = tensors.find(spec.name);
  const std::string where = tensors.path() + ": " + spec.name + ": ";
  if (!info) return Error{ErrorCode::bad_model, where + "the tensor is missing"};
  if (info->shape != spec.shape) {
    return Error{ErrorCode::bad_model,
                 where + "expected " + to_string(spec.shape) + ", found " + to_string(info->shape)};
  }
  if (!dtype_allowed(spec.role, info->dtype))
    return Error{ErrorCode::bad_model, where + "the type " + dtype_name(info->dtype) + " is not supported here"};
  return ok();
}

}  // namespace

Result<HalfWeights> load_half(Half half, const std::shared_ptr<const TensorSource>& tensors, const CodecConfig& config,
                              const Device& device, CodecLowering lowering) {
  ModelConfig model;
  model.codec = config;
  std::vector<std::string> names;
  for (const TensorSpec& spec : codec_manifest(model)) {
    if (spec.name.starts_with(kWavePrefix) != (half == Half::wave)) continue;
    KZ_RETURN_IF_ERROR(check(*tensors, spec));
    const bool packed = is_fused(lowering) && is_packable(spec.name);
    if (!packed && !spec.name.starts_with(kCodebookPrefix)) names.push_back(spec.name);
  }
  nn::DeviceRules rules;
  std::shared_ptr<const TensorSource> stored = tensors;
  if (lowering == CodecLowering::device) {
    rules = nn::DeviceRules::of(device);
    stored = nn::with_types(tensors, [](const std::string& name, const TensorInfo& info) {
      return nn::device_type(info, is_matrix(name, info));
    });
  }
  KZ_TRY(Weights loaded, Weights::load(stored, device, names));
  return HalfWeights{lowering, rules, std::move(loaded)};
}

Result<CodecWeights> codec_weights(const HalfWeights& front, const HalfWeights& wave_half, const TensorSource& tensors,
                                   const CodecConfig& config) {
  const Lookup at{front, tensors, "codec."};
  const Lookup quantizer = at.under("quantizer"), wave{wave_half, tensors, kWavePrefix};
  CodecWeights w;
  w.quantizer = {quantizer.weight("first_proj"), front.tensors.find(quantizer.prefix + "rest_proj.weight")};
  KZ_TRY(w.pre_conv, at.conv("pre_conv"));
  KZ_TRY(w.pre_transformer, pre_transformer_weights(at.under("pre_transformer"), config.pre_transformer.num_layers));
  for (size_t i = 0; i < config.upsampling_ratios.size(); ++i) {
    KZ_TRY(UpsampleWeights upsample, upsample_weights(at.under("upsample", i)));
    w.upsample.push_back(std::move(upsample));
  }
  KZ_TRY(w.wave_conv, wave.conv("conv_in"));
  for (size_t i = 0; i < config.upsample_rates.size(); ++i) {
    KZ_TRY(WaveBlockWeights block, wave_block_weights(wave.under("blocks", i)));
    w.wave_blocks.push_back(std::move(block));
  }
  KZ_TRY(w.wave_output.conv, wave.conv("conv_out"));
  w.wave_output.snake = wave.snake("snake");
  return w;
}

}  // namespace kazeia::codec
