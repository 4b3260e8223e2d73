// A caller's Request, checked against the model and turned into what the generation loop needs.
#pragma once
#include <string>
#include <vector>

#include "engine/model.h"
#include "flow/prompt.h"
#include "kazeia/engine.h"

namespace kazeia {

// What is said in one go: the whole text, or a part of it if the model wants short ones.
struct PreparedPiece {
  std::string text;
  Prompt prompt;
  int max_frames = 0;
};

struct PreparedRequest {
  std::vector<PreparedPiece> pieces;  // empty: nothing to speak
  SamplingDefaults talker, code_predictor;
  std::string voice, language;  // as chosen
  std::vector<std::string> notes;
};

Result<PreparedRequest> prepare(const Model& model, const Request& request);

}  // namespace kazeia
