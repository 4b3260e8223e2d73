#include "cli/inspect_model.h"

#include <string_view>

namespace kazeia {

Result<ModelFile> open_any_model(const std::string& model) {
  constexpr std::string_view kRandom = "random:";
  if (model.starts_with(kRandom)) return make_random_model(model.substr(kRandom.size()), /*seed=*/1);
  return open_model(model);
}

}  // namespace kazeia
