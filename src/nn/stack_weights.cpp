#include "nn/stack_weights.h"

#include "nn/device_rules.h"

namespace kazeia::nn {
namespace {

std::string layer_prefix(const StackSpec& spec, int layer) {
  return spec.prefix + "layers." + std::to_string(layer) + ".";
}

std::vector<std::string> weight_names(const StackSpec& spec, const TensorSource& source) {
  std::vector<std::string> names = spec.heads;
  names.push_back(spec.prefix + "norm.weight");
  if (!spec.input_proj.empty()) {
    names.push_back(spec.input_proj + ".weight");
    names.push_back(spec.input_proj + ".bias");
  }
  for (int i = 0; i < spec.config.num_layers; ++i)
    for (const std::string& name : decoder_layer_names(source, layer_prefix(spec, i))) names.push_back(name);
  return names;
}

}  // namespace

Result<std::shared_ptr<const StackWeights>> StackWeights::load(const StackSpec& spec,
                                                               const std::shared_ptr<const TensorSource>& source,
                                                               const Device& device) {
  std::shared_ptr<const TensorSource> stored = source;
  if (device.is_remote()) {
    stored = with_types(source, [](const std::string&, const TensorInfo& info) {
      return device_type(info, /*is_matrix=*/info.shape.num_dims() == 2);
    });
  }
  KZ_TRY(Weights tensors, Weights::load(stored, device, weight_names(spec, *source)));
  const std::shared_ptr<StackWeights> w(new StackWeights(std::move(tensors)));
  for (int i = 0; i < spec.config.num_layers; ++i)
    w->layers.push_back(decoder_layer_weights(w->tensors_, layer_prefix(spec, i)));
  w->input_proj = w->tensors_.find(spec.input_proj + ".weight");
  w->input_bias = w->tensors_.find(spec.input_proj + ".bias");
  w->norm = w->tensors_.get(spec.prefix + "norm.weight");
  for (const std::string& head : spec.heads) w->heads.push_back(w->tensors_.get(head));
  return std::shared_ptr<const StackWeights>(w);
}

Tensor stack_input(Graph& g, Tensor x, const StackWeights& w) {
  return w.input_proj ? linear(g, x, w.input_proj, w.input_bias) : x;
}

Tensor stack_hidden(Graph& g, Tensor x, const StackWeights& w, const LayerStackConfig& config) {
  return rms_norm(g, last_row(g, x), w.norm, config.rms_norm_eps);
}

DType cache_type(const Device& device) { return device.is_remote() ? DType::f16 : DType::f32; }

}  // namespace kazeia::nn
