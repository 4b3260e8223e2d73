// Names of tensors -> weights of each part. The names are those of formats/tensor_manifest.h.
#include "formats/tensor_manifest.h"
#include "stages/codec/internal.h"

namespace kazeia::codec {
namespace {

constexpr const char* kCodebookPrefix = "codec.quantizer.codebooks.";

// Tensors under one prefix.
struct Lookup {
  const Weights& weights;
  std::string prefix;

  Lookup under(const std::string& name) const { return {weights, prefix + name + "."}; }
  Lookup under(const std::string& name, size_t index) const { return under(name + "." + std::to_string(index)); }
  Tensor get(const std::string& name) const { return weights.get(prefix + name); }
  Tensor weight(const std::string& name) const { return get(name + ".weight"); }
  Tensor bias(const std::string& name) const { return get(name + ".bias"); }
  nn::ConvWeights conv(const std::string& name) const { return {weight(name), bias(name)}; }
  nn::SnakeWeights snake(const std::string& name) const { return {get(name + ".alpha"), get(name + ".inv_beta")}; }
};

PreTransformerWeights pre_transformer_weights(const Lookup& at, int num_layers) {
  PreTransformerWeights w{.input_proj = at.weight("input_proj"),
                          .input_bias = at.bias("input_proj"),
                          .layers = {},
                          .norm = at.weight("norm"),
                          .output_proj = at.weight("output_proj"),
                          .output_bias = at.bias("output_proj")};
  for (int i = 0; i < num_layers; ++i)
    w.layers.push_back(nn::decoder_layer_weights(at.weights, at.under("layers", static_cast<size_t>(i)).prefix));
  return w;
}

UpsampleWeights upsample_weights(const Lookup& at) {
  return {.conv = at.conv("conv"),
          .depthwise = at.conv("dwconv"),
          .norm = at.weight("norm"),
          .norm_bias = at.bias("norm"),
          .pwconv1 = at.weight("pwconv1"),
          .pwconv1_bias = at.bias("pwconv1"),
          .pwconv2 = at.weight("pwconv2"),
          .pwconv2_bias = at.bias("pwconv2"),
          .gamma = at.weight("gamma")};
}

WaveBlockWeights wave_block_weights(const Lookup& at) {
  WaveBlockWeights w{.snake = at.snake("snake"), .upsample = at.conv("upsample"), .units = {}};
  for (size_t i = 0; i < w.units.size(); ++i) {
    const Lookup unit = at.under("units", i);
    w.units[i] = {.snake1 = unit.snake("snake1"),
                  .snake2 = unit.snake("snake2"),
                  .dilated = unit.conv("conv1"),
                  .pointwise = unit.weight("conv2"),
                  .pointwise_bias = unit.bias("conv2")};
  }
  return w;
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

Result<Weights> load_tensors(const std::shared_ptr<const TensorSource>& tensors, const CodecConfig& config,
                             const Device& device) {
  ModelConfig model;
  model.codec = config;
  std::vector<std::string> names;
  for (const TensorSpec& spec : codec_manifest(model)) {
    KZ_RETURN_IF_ERROR(check(*tensors, spec));
    if (!spec.name.starts_with(kCodebookPrefix)) names.push_back(spec.name);
  }
  return Weights::load(tensors, device, names);
}

CodecWeights codec_weights(const Weights& weights, const CodecConfig& config) {
  const Lookup at{weights, "codec."};
  const Lookup quantizer = at.under("quantizer"), wave = at.under("wave");
  CodecWeights w;
  w.quantizer = {quantizer.weight("first_proj"), weights.find(quantizer.prefix + "rest_proj.weight")};
  w.pre_conv = at.conv("pre_conv");
  w.pre_transformer = pre_transformer_weights(at.under("pre_transformer"), config.pre_transformer.num_layers);
  for (size_t i = 0; i < config.upsampling_ratios.size(); ++i)
    w.upsample.push_back(upsample_weights(at.under("upsample", i)));
  w.wave_conv = wave.conv("conv_in");
  for (size_t i = 0; i < config.upsample_rates.size(); ++i)
    w.wave_blocks.push_back(wave_block_weights(wave.under("blocks", i)));
  w.wave_output = {wave.snake("snake"), wave.conv("conv_out")};
  return w;
}

}  // namespace kazeia::codec
