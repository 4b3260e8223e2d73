// Where the parts of a model ran, for the Report of a run.
#pragma once
#include <vector>

#include "engine/model.h"
#include "kazeia/engine.h"

namespace kazeia {

// Counts of all parts at one moment; the Report of a run holds what came after it.
class PlacementWatch {
 public:
  explicit PlacementWatch(const Model& model);
  std::vector<PartReport> report(const Model& model) const;

 private:
  std::vector<Coverage> before_;  // by ModelPart
};

}  // namespace kazeia
