// The placement in the JSON reports.
#pragma once
#include <nlohmann/json.hpp>

#include "kazeia/engine.h"

namespace kazeia {

// One object for each part; counts are of the whole run.
nlohmann::ordered_json placement_json(const Report& report);

}  // namespace kazeia
