// A model's file opened for a look inside, without an engine.
#pragma once
#include <string>

#include "base/result.h"
#include "formats/model_file.h"

namespace kazeia {

// model: a GGUF, a checkpoint folder, or "random:SPEC", as for -m.
Result<ModelFile> open_any_model(const std::string& model);

}  // namespace kazeia
