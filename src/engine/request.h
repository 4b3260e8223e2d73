// A caller's Request, checked against the model and turned into what the generation loop needs.
#pragma once
#include <string>

#include "engine/model.h"
#include "flow/prompt.h"
#include "kazeia/engine.h"

namespace kazeia {

struct PreparedRequest {
  bool empty = false;  // nothing to speak; the rest is not set
  Prompt prompt;
  SamplingDefaults talker, code_predictor;
  int max_frames = 0;
  std::string voice, language;  // as chosen
  std::vector<std::string> notes;
};

Result<PreparedRequest> prepare(const Model& model, const Request& request);

}  // namespace kazeia
