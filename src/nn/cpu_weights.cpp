// Loading the CPU stack: which models it can take, and their weights in the kernels' order.
#include "compute/quantize.h"
#include "nn/cpu_layer.h"

namespace kazeia::nn {
namespace {

std::string layer_name(const StackSpec& spec, int layer, const char* name) {
  return spec.prefix + "layers." + std::to_string(layer) + "." + name + ".weight";
}

constexpr const char* kMatrices[] = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

Result<std::vector<float>> read_floats(const TensorSource& source, const std::string& name) {
  const TensorInfo* info = source.find(name);
  if (!info) return Error{ErrorCode::bad_model, source.path() + ": " + name + ": the tensor is missing"};
  std::vector<std::byte> scratch;
  KZ_TRY(const auto bytes, source.read(name, scratch));
  std::vector<float> values(static_cast<size_t>(info->shape.num_elements()));
  dequantize_row(info->dtype, bytes, values);
  return values;
}

// Empty if the source has no such tensor.
Result<std::vector<float>> read_optional(const TensorSource& source, const std::string& name) {
  if (!source.find(name)) return std::vector<float>{};
  return read_floats(source, name);
}

Result<CpuLayerWeights> load_layer(const StackSpec& spec, const TensorSource& source, int layer) {
  const auto name = [&](const char* part) { return layer_name(spec, layer, part); };
  CpuLayerWeights w;
  KZ_TRY(w.input_norm, read_floats(source, name("input_norm")));
  KZ_TRY(w.post_attention_norm, read_floats(source, name("post_attention_norm")));
  KZ_TRY(w.q_norm, read_optional(source, name("q_norm")));
  KZ_TRY(w.k_norm, read_optional(source, name("k_norm")));
  KZ_TRY(w.q_proj, PackedMatrix::load(source, name("q_proj")));
  KZ_TRY(w.k_proj, PackedMatrix::load(source, name("k_proj")));
  KZ_TRY(w.v_proj, PackedMatrix::load(source, name("v_proj")));
  KZ_TRY(w.o_proj, PackedMatrix::load(source, name("o_proj")));
  KZ_TRY(w.gate_proj, PackedMatrix::load(source, name("gate_proj")));
  KZ_TRY(w.up_proj, PackedMatrix::load(source, name("up_proj")));
  KZ_TRY(w.down_proj, PackedMatrix::load(source, name("down_proj")));
  return w;
}

Result<DenseLayer> load_dense(const TensorSource& source, const std::string& prefix) {
  DenseLayer dense;
  KZ_TRY(dense.weight, read_floats(source, prefix + ".weight"));
  KZ_TRY(dense.bias, read_floats(source, prefix + ".bias"));
  dense.out = static_cast<int>(dense.bias.size());
  dense.in = static_cast<int>(dense.weight.size() / dense.bias.size());
  return dense;
}

bool matrix_fits(const TensorSource& source, const std::string& name) {
  const TensorInfo* info = source.find(name);
  return info && PackedMatrix::fits(*info);
}

}  // namespace

bool cpu_stack_fits(const StackSpec& spec, const TensorSource& source) {
  // Activations are quantised in groups of 32, and the outputs of one key head's queries at a time.
  const int queries_width = spec.config.num_heads / spec.config.num_kv_heads * spec.config.head_size;
  if (queries_width % kGroup != 0 || spec.config.intermediate_size % kGroup != 0) return false;
  for (int layer = 0; layer < spec.config.num_layers; ++layer) {
    for (const char* matrix : kMatrices)
      if (!matrix_fits(source, layer_name(spec, layer, matrix))) return false;
    // The graph stack has the codec's layer scales; talker and code predictor don't need them.
    if (source.find(layer_name(spec, layer, "attention_scale"))) return false;
  }
  for (const std::string& head : spec.heads)
    if (!matrix_fits(source, head)) return false;
  return true;
}

Result<CpuStackWeights> load_cpu_stack(const StackSpec& spec, const TensorSource& source) {
  CpuStackWeights weights{.kernels = kernels(), .input_proj = {}, .layers = {}, .norm = {}, .heads = {}};
  if (!spec.input_proj.empty()) {
    KZ_TRY(weights.input_proj, load_dense(source, spec.input_proj));
  }
  for (int i = 0; i < spec.config.num_layers; ++i) {
    KZ_TRY(CpuLayerWeights layer, load_layer(spec, source, i));
    weights.layers.push_back(std::move(layer));
  }
  KZ_TRY(weights.norm, read_floats(source, spec.prefix + "norm.weight"));
  for (const std::string& head : spec.heads) {
    KZ_TRY(PackedMatrix matrix, PackedMatrix::load(source, head));
    weights.heads.push_back(std::move(matrix));
  }
  return weights;
}

}  // namespace kazeia::nn
