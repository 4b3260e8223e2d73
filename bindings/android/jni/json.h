// What the native functions tell about a model and a speech: JSON text in UTF-8.
#pragma once
#include <string>

#include "kazeia/kazeia.h"

namespace kazeia::jni {

// {"finishReason":"eos","seed":42, ...}
std::string report_json(const kz_report& report);

// {"version":"0.1.0","name":"...", ..., "voices":[{"name":"ryan", ...}],"languages":["french"]}. Empty: the engine does
// not answer, and kz_last_error tells why.
std::string info_json(const kz_engine* engine);

}  // namespace kazeia::jni
