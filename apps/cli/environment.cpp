#include "cli/environment.h"

#include <cstdlib>
#include <string_view>

namespace kazeia {
namespace {

bool is_on(const GetVariable& get, const char* name) {
  const char* value = get(name);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// The switches of one part: PREFIX_HTP puts its weights on the device, PREFIX_SCHED its computation too.
void map_part(const GetVariable& get, const std::string& prefix, const std::string& part, Environment& environment) {
  const std::string htp = prefix + "_HTP", sched = prefix + "_SCHED";
  if (!is_on(get, htp.c_str())) {
    if (is_on(get, sched.c_str())) environment.notes.push_back(sched + " does nothing without " + htp);
    return;
  }
  const bool computes = is_on(get, sched.c_str());
  const std::string placement = part + (computes ? "=HTP0" : "=HTP0:weights");
  environment.notes.push_back(htp + (computes ? " with " + sched : "") + " maps to --place \"" + placement + "\"");
  environment.placement += (environment.placement.empty() ? "" : " ") + placement;
}

}  // namespace

Environment read_environment(const GetVariable& get) {
  Environment environment;
  if (const char* model = get("KAZEIA_MODEL")) environment.model = model;
  environment.decoder_profile = is_on(get, "KZTTS_DECODER_PROFILE");
  map_part(get, "KZTTS_DECODER", "codec", environment);
  map_part(get, "KZTTS_CP", "code_predictor", environment);
  if (is_on(get, "KZTTS_CP_CACHE")) {
    environment.notes.push_back("KZTTS_CP_CACHE is always on: the code predictor's graph is built once");
  }
  return environment;
}

Environment read_environment() {
  return read_environment([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace kazeia
