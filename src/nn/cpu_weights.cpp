// Loading the CPU stack: which models it can take, and their weights in the kernels' order.
#include "nn/cpu_layer.h"

namespace kazeia::nn {
namespace {

std::string layer_name(const StackSpec& spec, int layer, const char* name) {
  return spec.prefix + "layers." + std::to_string(layer) + "." + name + ".weight";
}

constexpr const char* kMatrices[] = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

// Empty if the source has no such tensor.
Result<std::vector<float>> read_optional(const TensorSource& source, const std::string& name) {
  if (!source.find(name)) return std::vector<float>{};
  return read_floats(source, name);
}

Result<CpuLayerWeights> load_layer(const StackSpec& spec, const TensorSource& source, int layer, HugeArena& arena) {
  const auto name = [&](const char* part) { return layer_name(spec, layer, part); };
  CpuLayerWeights w;
  KZ_TRY(w.input_norm, read_floats(source, name("input_norm")));
  KZ_TRY(w.post_attention_norm, read_floats(source, name("post_attention_norm")));
  KZ_TRY(w.q_norm, read_optional(source, name("q_norm")));
  KZ_TRY(w.k_norm, read_optional(source, name("k_norm")));
  KZ_TRY(w.q_proj, PackedMatrix::load(source, name("q_proj"), arena));
  KZ_TRY(w.k_proj, PackedMatrix::load(source, name("k_proj"), arena));
  KZ_TRY(w.v_proj, PackedMatrix::load(source, name("v_proj"), arena));
  KZ_TRY(w.o_proj, PackedMatrix::load(source, name("o_proj"), arena));
  KZ_TRY(w.gate_proj, PackedMatrix::load(source, name("gate_proj"), arena));
  KZ_TRY(w.up_proj, PackedMatrix::load(source, name("up_proj"), arena));
  KZ_TRY(w.down_proj, PackedMatrix::load(source, name("down_proj"), arena));
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

// All that is packed: the matrices of every layer, and the heads.
std::vector<std::string> matrix_names(const StackSpec& spec) {
  std::vector<std::string> names = spec.heads;
  for (int layer = 0; layer < spec.config.num_layers; ++layer)
    for (const char* matrix : kMatrices) names.push_back(layer_name(spec, layer, matrix));
  return names;
}

}  // namespace

bool cpu_stack_fits(const StackSpec& spec, const TensorSource& source) {
  // Activations are quantised in groups of 32, and the outputs of one key head's queries at a time.
  const int queries_width = spec.config.num_heads / spec.config.num_kv_heads * spec.config.head_size;
  if (queries_width % kGroup != 0 || spec.config.intermediate_size % kGroup != 0) return false;
  for (const std::string& name : matrix_names(spec)) {
    const TensorInfo* info = source.find(name);
    if (!info || !PackedMatrix::fits(*info)) return false;
  }
  // The graph stack has the codec's layer scales; talker and code predictor don't need them.
  return source.find(layer_name(spec, 0, "attention_scale")) == nullptr;
}

Result<CpuStackWeights> load_cpu_stack(const StackSpec& spec, const TensorSource& source) {
  CpuStackWeights weights{.kernels = kernels(), .input_proj = {}, .layers = {}, .norm = {}, .heads = {}, .arena = {}};
  size_t num_bytes = 0;
  for (const std::string& name : matrix_names(spec))
    num_bytes += arena_piece(PackedMatrix::packed_bytes(*source.find(name)));
  KZ_TRY(weights.arena, HugeArena::allocate(num_bytes));
  if (!spec.input_proj.empty()) {
    KZ_TRY(weights.input_proj, load_dense(source, spec.input_proj));
  }
  for (int i = 0; i < spec.config.num_layers; ++i) {
    KZ_TRY(CpuLayerWeights layer, load_layer(spec, source, i, weights.arena));
    weights.layers.push_back(std::move(layer));
  }
  KZ_TRY(weights.norm, read_floats(source, spec.prefix + "norm.weight"));
  for (const std::string& head : spec.heads) {
    KZ_TRY(PackedMatrix matrix, PackedMatrix::load(source, head, weights.arena));
    weights.heads.push_back(std::move(matrix));
  }
  return weights;
}

}  // namespace kazeia::nn
