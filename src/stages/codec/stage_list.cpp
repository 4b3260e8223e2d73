#include "stages/codec/stage_list.h"

#include <algorithm>

namespace kazeia::codec {
namespace {

GraphPart::BuildGraph convolution(const nn::ConvWeights& w) {
  return [w](Graph& g, Tensor x, PartMemory& m) { return nn::causal_conv(g, x, w, /*dilation=*/1, m.past); };
}

int64_t round_up_quotient(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

// Into how many pieces num_rows input rows are cut.
int64_t num_pieces(const Stage& stage, int64_t num_rows, int64_t max_rows) {
  if (max_rows == 0) return 1;
  return round_up_quotient(num_rows, std::max<int64_t>(1, max_rows / stage.rate));
}

}  // namespace

// Codes' rows to the latent signal, one row per frame; then a few rows per frame.
std::vector<Stage> front_stages(const CodecConfig& config, const CodecWeights& w, int64_t codebooks_width) {
  const auto quantizer = [w = w.quantizer](Graph& g, Tensor x, PartMemory&) { return quantizer_graph(g, x, w); };
  const LayerStackConfig& stack = config.pre_transformer;
  const auto pre_transformer = [w = w.pre_transformer, stack](Graph& g, Tensor x, PartMemory& m) {
    return pre_transformer_graph(g, x, w, stack, m.attention, *m.cache);
  };
  std::vector<Stage> stages = {
      {&CodecTimes::quantizer_ms, "quantized", quantizer, codebooks_width, 1, 1},
      {&CodecTimes::pre_conv_ms, "pre_conv", convolution(w.pre_conv), config.codebook_dim, 1, 1},
      {&CodecTimes::pre_transformer_ms, "pre_transformer", pre_transformer, config.latent_dim, 1, 1,
       /*max_nodes=*/64 * (stack.num_layers + 2), /*attends=*/true}};
  int rows_per_frame = 1;
  for (size_t i = 0; i < w.upsample.size(); ++i) {
    const int ratio = config.upsampling_ratios[i];
    const auto upsample = [w = w.upsample[i], ratio](Graph& g, Tensor x, PartMemory& m) {
      return upsample_graph(g, x, w, ratio, m.past);
    };
    stages.push_back({&CodecTimes::upsample_ms, "upsample_" + std::to_string(i), upsample, config.latent_dim,
                      rows_per_frame, ratio});
    rows_per_frame *= ratio;
  }
  return stages;
}

std::vector<Stage> wave_stages(const CodecConfig& config, const CodecWeights& w) {
  int rows_per_frame = 1;
  for (const int ratio : config.upsampling_ratios) rows_per_frame *= ratio;
  int64_t channels = config.decoder_dim;
  std::vector<Stage> stages = {
      {&CodecTimes::wave_ms, "wave_conv", convolution(w.wave_conv), config.latent_dim, rows_per_frame, 1}};
  for (size_t i = 0; i < w.wave_blocks.size(); ++i) {
    const int rate = config.upsample_rates[i];
    const auto block = [w = w.wave_blocks[i], rate](Graph& g, Tensor x, PartMemory& m) {
      return wave_block_graph(g, x, w, rate, m.past);
    };
    stages.push_back({&CodecTimes::wave_ms, "wave_block_" + std::to_string(i), block, channels, rows_per_frame, rate});
    rows_per_frame *= rate;
    channels /= 2;
  }
  const auto output = [w = w.wave_output](Graph& g, Tensor x, PartMemory& m) {
    return wave_output_graph(g, x, w, m.past);
  };
  stages.push_back({&CodecTimes::wave_ms, "wave_output", output, channels, rows_per_frame, 1});
  return stages;
}

Tensor build_stages(Graph& g, Tensor x, std::span<const Stage> stages, int64_t max_rows, PartMemory& memory) {
  if (stages.empty()) return x;
  const Stage& stage = stages.front();
  const int64_t num_rows = x.rows();
  const int64_t pieces = num_pieces(stage, num_rows, max_rows);
  if (pieces == 1) return build_stages(g, stage.build(g, x, memory), stages.subspan(1), max_rows, memory);

  // Depth first: a piece passes all stages before the next one starts, so that only the ends are joined.
  const size_t first_layer = memory.past.next_layer();
  Tensor joined;
  for (int64_t piece = 0, begin = 0; piece < pieces; ++piece) {
    const int64_t end = num_rows * (piece + 1) / pieces;
    memory.past.go_back_to(first_layer);
    const Tensor rows = nn::rows_of(g, x, begin, end - begin);
    const Tensor y = build_stages(g, stage.build(g, rows, memory), stages.subspan(1), max_rows, memory);
    joined = joined ? nn::append_rows(g, joined, y) : y;
    g.run_now(joined);  // before the next piece: its values' memory is free again then
    begin = end;
  }
  return joined;
}

int max_nodes_of(std::span<const Stage> stages, int64_t num_rows, int64_t max_rows) {
  int64_t passes = 1;
  int64_t count = 0;
  for (const Stage& stage : stages) {
    const int64_t pieces = num_pieces(stage, num_rows, max_rows);
    passes *= pieces;
    num_rows = round_up_quotient(num_rows, pieces) * stage.rate;
    count += passes * stage.max_nodes;
  }
  return static_cast<int>(count);
}

}  // namespace kazeia::codec
