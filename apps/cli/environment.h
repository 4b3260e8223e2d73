// The environment variables of the program; the library reads none.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace kazeia {

struct Environment {
  std::string model;             // KAZEIA_MODEL
  bool decoder_profile = false;  // KZTTS_DECODER_PROFILE: codec timings after say and decode
  // What the switches of the first engine ask for, in the words of --place; empty: none is set.
  //   KZTTS_DECODER_HTP                       codec=HTP0:weights (weights in the device's memory, computed on the CPU)
  //   KZTTS_DECODER_HTP + KZTTS_DECODER_SCHED codec=HTP0
  //   KZTTS_CP_HTP, + KZTTS_CP_SCHED          the same for code_predictor
  std::string placement;
  std::vector<std::string> notes;  // what each switch was mapped to, for stderr
};

using GetVariable = std::function<const char*(const char* name)>;

// A switch is on unless it is unset, empty or "0".
Environment read_environment(const GetVariable& get);
Environment read_environment();  // the process's own

}  // namespace kazeia
