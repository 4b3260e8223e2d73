#include "stages/codec/steps.h"

namespace kazeia::codec {
namespace {

// Appends parts and keeps count of what flows between them.
class StepList {
 public:
  StepList(std::shared_ptr<Device> device, int64_t channels) : device_(std::move(device)), channels_(channels) {}

  // The part turns each row into `rate` rows of out_channels. `extra` brings the fields that most parts leave alone.
  void add(double CodecTimes::*time, const std::string& name, Part::BuildGraph build, int64_t out_channels,
           int rate = 1, Part::Spec extra = {}) {
    extra.name = name;
    extra.rows_per_frame = rows_per_frame_;
    extra.channels = channels_;
    extra.build = std::move(build);
    steps_.push_back({time, std::make_unique<Part>(device_, std::move(extra))});
    rows_per_frame_ *= rate;
    channels_ = out_channels;
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  std::shared_ptr<Device> device_;
  std::vector<Step> steps_;
  int rows_per_frame_ = 1;  // of the last part's output
  int64_t channels_;
};

Part::BuildGraph convolution(const nn::ConvWeights& w) {
  return [w](Graph& g, Tensor x, PartMemory& m) { return nn::causal_conv(g, x, w, /*dilation=*/1, m.past); };
}

// Codes' rows to the latent signal, one row per frame.
Status add_frame_rate_steps(StepList& list, const CodecConfig& config, const CodecWeights& w,
                            const std::shared_ptr<Device>& device, int max_chunk_frames) {
  const auto quantizer = [w = w.quantizer](Graph& g, Tensor x, PartMemory&) { return quantizer_graph(g, x, w); };
  list.add(&CodecTimes::quantizer_ms, "quantized", quantizer, config.codebook_dim);
  list.add(&CodecTimes::pre_conv_ms, "pre_conv", convolution(w.pre_conv), config.latent_dim);

  // So many slots that a chunk overwrites only what its first row no longer sees.
  const LayerStackConfig& stack = config.pre_transformer;
  const int num_slots = config.sliding_window - 1 + max_chunk_frames;
  KZ_TRY(nn::KvCache cache, nn::KvCache::create(device, stack, DType::f32, num_slots, config.sliding_window));
  const auto pre_transformer = [w = w.pre_transformer, stack](Graph& g, Tensor x, PartMemory& m) {
    return pre_transformer_graph(g, x, w, stack, m.attention, *m.cache);
  };
  Part::Spec extra;
  extra.max_nodes = 64 * (stack.num_layers + 2);
  extra.cache = std::move(cache);
  list.add(&CodecTimes::pre_transformer_ms, "pre_transformer", pre_transformer, config.latent_dim, /*rate=*/1,
           std::move(extra));
  return ok();
}

void add_upsample_steps(StepList& list, const CodecConfig& config, const CodecWeights& w) {
  for (size_t i = 0; i < w.upsample.size(); ++i) {
    const auto stage = [w = w.upsample[i], ratio = config.upsampling_ratios[i]](Graph& g, Tensor x, PartMemory& m) {
      return upsample_graph(g, x, w, ratio, m.past);
    };
    list.add(&CodecTimes::upsample_ms, "upsample_" + std::to_string(i), stage, config.latent_dim,
             config.upsampling_ratios[i]);
  }
}

void add_wave_steps(StepList& list, const CodecConfig& config, const CodecWeights& w) {
  int64_t channels = config.decoder_dim;
  list.add(&CodecTimes::wave_ms, "wave_conv", convolution(w.wave_conv), channels);
  for (size_t i = 0; i < w.wave_blocks.size(); ++i) {
    channels /= 2;
    const auto block = [w = w.wave_blocks[i], rate = config.upsample_rates[i]](Graph& g, Tensor x, PartMemory& m) {
      return wave_block_graph(g, x, w, rate, m.past);
    };
    list.add(&CodecTimes::wave_ms, "wave_block_" + std::to_string(i), block, channels, config.upsample_rates[i]);
  }
  const auto output = [w = w.wave_output](Graph& g, Tensor x, PartMemory& m) {
    return wave_output_graph(g, x, w, m.past);
  };
  list.add(&CodecTimes::wave_ms, "wave_output", output, /*out_channels=*/1);
}

}  // namespace

Result<std::vector<Step>> make_steps(const CodecConfig& config, const CodecWeights& weights,
                                     const std::shared_ptr<Device>& device, int64_t codebooks_width,
                                     int max_chunk_frames) {
  StepList list(device, codebooks_width);
  KZ_RETURN_IF_ERROR(add_frame_rate_steps(list, config, weights, device, max_chunk_frames));
  add_upsample_steps(list, config, weights);
  add_wave_steps(list, config, weights);
  return list.take();
}

}  // namespace kazeia::codec
