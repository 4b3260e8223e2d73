// Which device each part of a model runs on, from one string: "talker=cpu code_predictor=cpu codec=cpu".
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "compute/device.h"

namespace kazeia {

struct Placement {
  std::shared_ptr<Device> talker, code_predictor, codec;

  // spec: parts "talker", "code_predictor", "codec", each with a device's name; parts not named run on the CPU. An
  // unknown part or device is an Error that lists the known ones: nothing falls back silently.
  static Result<Placement> parse(const std::string& spec, int num_threads);
};

}  // namespace kazeia
