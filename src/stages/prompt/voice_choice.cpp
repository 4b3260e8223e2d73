// Speakers and languages by name, and the choice of what a request leaves open.
#include "stages/prompt/voice_choice.h"

#include <algorithm>
#include <vector>

#include "stages/prompt/prompt_builder.h"

namespace kazeia {

namespace {

Error unknown(const char* what, const std::string& name, std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  std::string list;
  for (const std::string& item : known) list += (list.empty() ? "" : ", ") + item;
  return {ErrorCode::invalid_argument, std::string("unknown ") + what + " \"" + name + "\"; this model knows: " + list};
}

Error no_voices(const ModelConfig& config, const std::string& voice) {
  const char* remedy = config.type == ModelType::voice_design ? "; describe the voice with an instruction instead" : "";
  return {ErrorCode::invalid_argument, "voice \"" + voice + "\": this " + model_type_name(config.type) +
                                           " model has no voices to choose from" + remedy};
}

// The first speaker of a language, else the first of all.
const Speaker& default_speaker(const ModelConfig& config, const std::string& language) {
  for (const Speaker& speaker : config.speakers) {
    if (!language.empty() && (speaker.language == language || speaker.dialect == language)) return speaker;
  }
  return config.speakers.front();
}

}  // namespace

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

Result<const Speaker*> find_speaker(const ModelConfig& config, const std::string& name) {
  std::vector<std::string> known;
  for (const Speaker& speaker : config.speakers) {
    if (lower_case(speaker.name) == lower_case(name)) return &speaker;
    known.push_back(speaker.name);
  }
  if (known.empty()) return no_voices(config, name);
  return unknown("voice", name, std::move(known));
}

Result<const Language*> find_language(const ModelConfig& config, const std::string& name) {
  if (lower_case(name) == kAutoLanguage) return nullptr;
  std::vector<std::string> known = {kAutoLanguage};
  for (const Language& language : config.languages) {
    if (lower_case(language.name) == lower_case(name)) return &language;
    known.push_back(language.name);
  }
  return unknown("language", name, std::move(known));
}

Result<ChosenVoice> choose_voice(const ModelConfig& config, const std::string& voice, const std::string& language) {
  ChosenVoice choice;
  if (!language.empty()) {
    KZ_TRY(const Language* found, find_language(config, language));
    choice.language = found ? found->name : kAutoLanguage;
  }
  if (config.type != ModelType::custom_voice || config.speakers.empty()) {
    if (!voice.empty()) return no_voices(config, voice);
    if (choice.language.empty()) choice.language = kAutoLanguage;
    return choice;
  }

  const Speaker* speaker = &default_speaker(config, choice.language);
  if (!voice.empty()) {
    KZ_TRY(speaker, find_speaker(config, voice));
  }
  choice.speaker = speaker->name;
  if (choice.language.empty()) choice.language = speaker->language.empty() ? kAutoLanguage : speaker->language;
  return choice;
}

bool follows_instruct(const ModelConfig& config) {
  return config.type != ModelType::custom_voice || config.size != "0b6";
}

}  // namespace kazeia
