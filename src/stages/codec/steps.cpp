#include "stages/codec/steps.h"

#include <algorithm>

#include "stages/codec/fused_wave.h"
#include "stages/codec/stage_list.h"

namespace kazeia::codec {
namespace {

// The slots of the pre-transformer's cache: so many that a chunk overwrites only what its first row no longer sees.
// Some devices take the scores of more than 32 slots in groups of 32 only.
int num_cache_slots(const CodecConfig& config, int max_chunk_frames, bool in_groups) {
  constexpr int kGroup = 32;
  const int needed = config.sliding_window - 1 + max_chunk_frames;
  return in_groups && needed > kGroup ? (needed + kGroup - 1) / kGroup * kGroup : needed;
}

// Makes parts of stages.
class StepList {
 public:
  StepList(const CodecConfig& config, int max_chunk_frames) : config_(config), max_chunk_frames_(max_chunk_frames) {}

  // One part for each stage.
  Status add_each(const HalfPlace& place, const std::vector<Stage>& stages) {
    for (const Stage& stage : stages) KZ_RETURN_IF_ERROR(add(place, {stage}, stage.time));
    return ok();
  }

  // One part for all stages.
  Status add(const HalfPlace& place, const std::vector<Stage>& stages, double CodecTimes::*time) {
    const Stage& first = stages.front();
    GraphPart::Spec spec;
    spec.name = stages.back().name;
    spec.rows_per_frame = first.rows_per_frame;
    spec.channels = first.channels;
    spec.max_contexts = 16 * static_cast<int>(stages.size());
    const int64_t max_rows = place.max_matmul_rows;
    spec.max_nodes = [stages, max_rows](int64_t num_rows) { return max_nodes_of(stages, num_rows, max_rows); };
    spec.build = [stages, max_rows](Graph& g, Tensor x, PartMemory& memory) {
      return build_stages(g, x, stages, max_rows, memory);
    };
    if (std::ranges::any_of(stages, &Stage::attends)) {
      const bool on_device = place.lowering == CodecLowering::device;
      const int num_slots = num_cache_slots(config_, max_chunk_frames_, on_device);
      KZ_TRY(nn::KvCache cache,
             nn::KvCache::create(place.device, config_.pre_transformer, on_device ? DType::f16 : DType::f32, num_slots,
                                 config_.sliding_window));
      spec.cache = std::move(cache);
    }
    steps_.push_back({time, std::make_unique<GraphPart>(place.device, std::move(spec))});
    return ok();
  }

  // Parts that are no graphs.
  void append(std::vector<std::unique_ptr<Part>> parts, double CodecTimes::*time) {
    for (std::unique_ptr<Part>& part : parts) steps_.push_back({time, std::move(part)});
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  const CodecConfig& config_;
  int max_chunk_frames_;
  std::vector<Step> steps_;
};

}  // namespace

Result<std::vector<Step>> make_steps(const CodecConfig& config, const CodecWeights& weights, const HalfPlace& front,
                                     const HalfPlace& wave, int64_t codebooks_width, int max_chunk_frames) {
  StepList list(config, max_chunk_frames);
  std::vector<Stage> stages = front_stages(config, weights, codebooks_width);
  if (is_fused(wave.lowering)) {
    KZ_RETURN_IF_ERROR(front.lowering == CodecLowering::device
                           ? list.add(front, stages, &CodecTimes::pre_transformer_ms)
                           : list.add_each(front, stages));
    KZ_TRY(auto parts, make_fused_wave(config, weights, wave.device, max_chunk_frames));
    list.append(std::move(parts), &CodecTimes::wave_ms);
    return list.take();
  }
  std::vector<Stage> last_stages = wave_stages(config, weights);
  const bool front_joined = front.lowering == CodecLowering::device;
  const bool wave_joined = wave.lowering == CodecLowering::device;
  if (front_joined && wave_joined && front.device == wave.device) {
    stages.insert(stages.end(), last_stages.begin(), last_stages.end());
    KZ_RETURN_IF_ERROR(list.add(wave, stages, &CodecTimes::wave_ms));
    return list.take();
  }
  KZ_RETURN_IF_ERROR(front_joined ? list.add(front, stages, &CodecTimes::pre_transformer_ms)
                                  : list.add_each(front, stages));
  KZ_RETURN_IF_ERROR(wave_joined ? list.add(wave, last_stages, &CodecTimes::wave_ms)
                                 : list.add_each(wave, last_stages));
  return list.take();
}

}  // namespace kazeia::codec
