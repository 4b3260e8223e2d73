// The placement of who asks for none: the cheapest by the cost model, which is the CPU where no device has figures.
#pragma once
#include <string>
#include <vector>

#include "compute/device.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia {

// What a placement would take, by the cost model.
struct PlacementEstimate {
  std::string spec;  // as Placement::parse takes it
  double ms_per_frame = 0;
};

// Each part on the CPU or on one of the devices whose figures are known, whatever is less for that part.
PlacementEstimate cheapest_placement(const ModelConfig& config, const TensorSource& tensors, int num_threads,
                                     const std::vector<DeviceInfo>& devices);

}  // namespace kazeia
