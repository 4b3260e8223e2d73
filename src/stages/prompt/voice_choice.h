// Finding speakers and languages by name, for the files of this folder.
#pragma once
#include <string>

#include "base/result.h"
#include "formats/model_config.h"

namespace kazeia {

inline constexpr const char* kAutoLanguage = "auto";

// ASCII only, as in all names of the published models.
std::string lower_case(std::string text);

// Both match without case; the Error lists the known names in alphabetical order.
Result<const Speaker*> find_speaker(const ModelConfig& config, const std::string& name);
Result<const Language*> find_language(const ModelConfig& config, const std::string& name);  // nullptr for "auto"

}  // namespace kazeia
