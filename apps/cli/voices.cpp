// kazeia voices: who speaks in a model, and which languages.
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace kazeia {
namespace {

std::string languages_text(const ModelInfo& info) {
  std::string text = "auto";
  for (const std::string& language : info.languages) text += ", " + language;
  return text;
}

std::string voices_text(const ModelInfo& info) {
  if (info.voices.empty()) {
    return info.type == "voice_design" ? "no voices of its own: describe one with --instruct\n"
                                       : "no voices of its own\n";
  }
  std::vector<std::vector<std::string>> rows = {{"voice", "language", "dialect"}};
  for (const VoiceInfo& voice : info.voices) {
    rows.push_back(
        {voice.name, voice.language.empty() ? "-" : voice.language, voice.dialect.empty() ? "-" : voice.dialect});
  }
  return table(rows);
}

}  // namespace

Status run(const VoicesOptions& options) {
  KZ_TRY(const std::unique_ptr<Engine> engine, load_engine(options.model));
  const ModelInfo& info = engine->info();
  print_out(voices_text(info) + "languages: " + languages_text(info) + "\n");
  return ok();
}

}  // namespace kazeia
