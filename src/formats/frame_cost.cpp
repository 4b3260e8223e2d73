#include "formats/frame_cost.h"

#include <cstdint>
#include <string_view>

#include "formats/tensor_manifest.h"

namespace kazeia {
namespace {

double stored_bytes(const TensorSource* tensors, const TensorSpec& spec) {
  const TensorInfo* info = tensors == nullptr ? nullptr : tensors->find(spec.name);
  return info == nullptr ? 0 : static_cast<double>(info->num_bytes());
}

double num_elements(const TensorSpec& spec) { return static_cast<double>(spec.shape.num_elements()); }

StageCost talker_cost(const ModelConfig& config, const TensorSource& tensors) {
  StageCost cost;
  for (const TensorSpec& spec : talker_manifest(config)) {
    // The text's projection is for prompt rows; a frame has one constant row of it.
    const bool runs = spec.role == TensorRole::matrix && !spec.name.starts_with("talker.text_projection.");
    if (runs) cost += {stored_bytes(&tensors, spec), num_elements(spec)};
  }
  return cost;
}

StageCost code_predictor_cost(const ModelConfig& config, const TensorSource& tensors) {
  StageCost cost;
  const double num_rows = config.talker.num_code_groups;  // the hidden state, then K - 1 codes
  const double num_passes = num_rows - 1;                 // the first pass has two rows
  for (const TensorSpec& spec : code_predictor_manifest(config)) {
    if (spec.role != TensorRole::matrix) continue;
    const double bytes = stored_bytes(&tensors, spec);
    const bool is_head = spec.name.starts_with("code_predictor.lm_head.");  // each is used in one pass
    cost +=
        is_head ? StageCost{bytes, num_elements(spec)} : StageCost{bytes * num_passes, num_elements(spec) * num_rows};
  }
  return cost;
}

// The number after a prefix: "codec.upsample.1.conv.weight" -> 1.
size_t index_after(std::string_view name, std::string_view prefix) {
  size_t index = 0;
  for (name.remove_prefix(prefix.size()); !name.empty() && name[0] >= '0' && name[0] <= '9'; name.remove_prefix(1)) {
    index = index * 10 + static_cast<size_t>(name[0] - '0');
  }
  return index;
}

// Rows after the first `count` of the factors.
double product(const std::vector<int>& factors, size_t count) {
  double rows = 1;
  for (size_t i = 0; i < count && i < factors.size(); ++i) rows *= factors[i];
  return rows;
}

// How many rows of a frame a codec tensor is multiplied with. A transposed convolution works on the rows before it
// grows them, everything after it on the grown ones.
double codec_rows(const CodecConfig& codec, std::string_view name) {
  constexpr std::string_view kUpsample = "codec.upsample.", kBlocks = "codec.wave.blocks.";
  if (name.starts_with(kUpsample)) {
    const bool grows = name.ends_with(".conv.weight");
    return product(codec.upsampling_ratios, index_after(name, kUpsample) + (grows ? 0 : 1));
  }
  const double upsampled = product(codec.upsampling_ratios, codec.upsampling_ratios.size());
  if (name.starts_with(kBlocks)) {
    const bool grows = name.ends_with(".upsample.weight");
    return upsampled * product(codec.upsample_rates, index_after(name, kBlocks) + (grows ? 0 : 1));
  }
  if (name.starts_with("codec.wave.conv_out."))
    return upsampled * product(codec.upsample_rates, codec.upsample_rates.size());
  return name.starts_with("codec.wave.") ? upsampled : 1;
}

// Codebook rows are looked up and vectors are added; the rest is multiplied.
bool is_multiplied(const TensorSpec& spec) {
  return spec.role == TensorRole::codec_matrix || spec.name.ends_with("_proj.weight") ||
         spec.name.ends_with("dwconv.weight");
}

StageCost& stage_of(FrameCost& cost, std::string_view name) {
  if (name.starts_with("codec.quantizer.")) return cost.quantizer;
  if (name.starts_with("codec.pre_conv.")) return cost.pre_conv;
  if (name.starts_with("codec.pre_transformer.")) return cost.pre_transformer;
  return name.starts_with("codec.upsample.") ? cost.upsample : cost.wave;
}

void add_codec(FrameCost& cost, const ModelConfig& config, const TensorSource* tensors) {
  for (const TensorSpec& spec : codec_manifest(config)) {
    if (!is_multiplied(spec)) continue;
    stage_of(cost, spec.name) +=
        {stored_bytes(tensors, spec), num_elements(spec) * codec_rows(config.codec, spec.name)};
  }
  // One query against a full window of keys, then of values.
  const LayerStackConfig& stack = config.codec.pre_transformer;
  cost.pre_transformer.multiply_adds +=
      2.0 * config.codec.sliding_window * stack.num_heads * stack.head_size * stack.num_layers;
}

}  // namespace

StageCost FrameCost::codec() const {
  StageCost all;
  for (const StageCost& stage : {quantizer, pre_conv, pre_transformer, upsample, wave}) all += stage;
  return all;
}

FrameCost frame_cost(const ModelConfig& config, const TensorSource& tensors) {
  FrameCost cost;
  cost.talker = talker_cost(config, tensors);
  cost.code_predictor = code_predictor_cost(config, tensors);
  add_codec(cost, config, &tensors);
  return cost;
}

double codec_multiply_adds(const ModelConfig& config) {
  FrameCost cost;
  add_codec(cost, config, nullptr);
  return cost.codec().multiply_adds;
}

}  // namespace kazeia
