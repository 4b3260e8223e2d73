// Source: SplitResidualVectorQuantizer.decode (modeling_qwen3_tts_tokenizer_v2.py:815-821). The sum over codebooks
// comes before the projection, so only one row per side reaches the graph.
#include "stages/codec/internal.h"

namespace kazeia::codec {

Result<Codebooks> Codebooks::open(const std::shared_ptr<const TensorSource>& tensors, const CodecConfig& config) {
  Codebooks codebooks;
  for (int i = 0; i < config.num_quantizers; ++i) {
    KZ_TRY(RowTable table, RowTable::open(tensors, "codec.quantizer.codebooks." + std::to_string(i) + ".weight"));
    codebooks.tables_.push_back(std::move(table));
  }
  return codebooks;
}

void Codebooks::sum_rows(std::span<const int32_t> codes, std::vector<float>& sums) const {
  const size_t num_groups = tables_.size();
  const size_t num_frames = codes.size() / num_groups;
  const auto half = static_cast<size_t>(tables_.front().width());
  sums.assign(num_frames * static_cast<size_t>(width()), 0.0F);
  std::span<float> row = sums;
  for (size_t frame = 0; frame < num_frames; ++frame, row = row.subspan(static_cast<size_t>(width()))) {
    for (size_t group = 0; group < num_groups; ++group)
      tables_[group].add_row(codes[frame * num_groups + group], row.subspan(group == 0 ? 0 : half, half));
  }
}

Tensor quantizer_graph(Graph& g, Tensor sums, const QuantizerWeights& w) {
  if (!w.rest_proj) return nn::linear(g, sums, w.first_proj);
  const int64_t half = w.first_proj.channels();
  const Tensor first = nn::linear(g, nn::channels_of(g, sums, 0, half), w.first_proj);
  return nn::add(g, first, nn::linear(g, nn::channels_of(g, sums, half, half), w.rest_proj));
}

}  // namespace kazeia::codec
