#include "engine/default_placement.h"

#include "compute/cost_model.h"
#include "compute/placement.h"
#include "formats/frame_cost.h"

namespace kazeia {
namespace {

struct PartWork {
  ModelPart part;
  Work work;
};

Work work_of(const StageCost& cost, double calls, double copied_values) {
  return {.calls = calls,
          .copied_bytes = copied_values * sizeof(float),
          .multiply_adds = cost.multiply_adds,
          .weight_bytes = cost.weight_bytes};
}

// Of one frame, as our lowerings for devices work: one call for the talker, one for all codes of the code predictor,
// and for the codec two with each chunk of four frames.
std::vector<PartWork> frame_work(const ModelConfig& config, const TensorSource& tensors) {
  constexpr double kCodecCalls = 2.0 / 4;
  const FrameCost cost = frame_cost(config, tensors);
  const double hidden = config.talker.stack.hidden_size;
  const double groups = config.talker.num_code_groups;
  const double noise = groups * config.code_predictor.vocab_size;  // one number for each code that may be drawn
  const double samples = config.codec.samples_per_frame();
  return {{ModelPart::talker, work_of(cost.talker, 1, 2 * hidden + config.talker.vocab_size)},
          {ModelPart::code_predictor, work_of(cost.code_predictor, 1, hidden + noise + groups)},
          {ModelPart::codec, work_of(cost.codec(), kCodecCalls, config.codec.codebook_dim + samples)}};
}

}  // namespace

PlacementEstimate cheapest_placement(const ModelConfig& config, const TensorSource& tensors, int num_threads,
                                     const std::vector<DeviceInfo>& devices) {
  PlacementEstimate cheapest;
  for (const PartWork& part : frame_work(config, tensors)) {
    std::string chosen = "cpu";
    double least = estimate_ms(cpu_figures(num_threads), part.work);
    for (const DeviceInfo& device : devices) {
      const auto figures = device_figures(device.name);
      if (!figures) continue;
      if (const double ms = estimate_ms(*figures, part.work); ms < least) {
        least = ms;
        chosen = device.name;
      }
    }
    cheapest.spec += (cheapest.spec.empty() ? "" : " ") + std::string(part_name(part.part)) + "=" + chosen;
    cheapest.ms_per_frame += least;
  }
  return cheapest;
}

}  // namespace kazeia
