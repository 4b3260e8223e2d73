#include "compute/placement.h"

#include <sstream>

namespace kazeia {

Result<Placement> Placement::parse(const std::string& spec, int num_threads) {
  KZ_TRY(const std::shared_ptr<Device> cpu, Device::cpu(num_threads));
  Placement placement{.talker = cpu, .code_predictor = cpu, .codec = cpu};
  std::istringstream words(spec);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string part = word.substr(0, equals);
    if (equals == std::string::npos || (part != "talker" && part != "code_predictor" && part != "codec")) {
      return Error{ErrorCode::invalid_argument,
                   "placement: expected talker=DEVICE, code_predictor=DEVICE or codec=DEVICE, found \"" + word + "\""};
    }
    std::string device = word.substr(equals + 1);
    if (device.ends_with(":strict")) device.resize(device.size() - std::string_view(":strict").size());
    if (device != "cpu") {
      return Error{ErrorCode::unsupported, "placement: " + part + ": expected a device of this build, found \"" +
                                               device + "\"; known devices: cpu"};
    }
  }
  return placement;
}

}  // namespace kazeia
