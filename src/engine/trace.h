// Teacher-forced runs: the scores of every stage for given codes.
#pragma once
#include <span>

#include "engine/model.h"
#include "kazeia/engine.h"

namespace kazeia {

Result<Trace> run_trace(Model& model, const Request& request, std::span<const int32_t> codes);

}  // namespace kazeia
