// What the commands share: which model, an engine loaded with it, and one run of audio into a file.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "kazeia/engine.h"
#include "sinks.h"

namespace kazeia {

// What -m means: itself, else $KAZEIA_MODEL (said on stderr), else the default voice.
Result<std::string> resolve_model(const std::string& model);

// kazeia-voice.gguf in models/ of the program's folder or of one of the two above it (a build tree inside the
// repository), or in ../share/kazeia/models. The Error names the places.
Result<std::string> find_default_voice(const std::string& program_folder);

// Resolves the model and maps the environment's switches, with notes on stderr.
Result<EngineOptions> engine_options(const ModelOptions& options);
Result<std::unique_ptr<Engine>> load_engine(const ModelOptions& options);

// Runs `make` (synthesize or decode) with a sink that writes into the output and shows progress. Ctrl-C and every
// failure leave no file. total_seconds: the audio to expect, 0 if unknown.
using MakeAudio = std::function<Result<Report>(const AudioSink& sink)>;
Result<Report> write_audio(const AudioOutput& output, int sample_rate_hz, double total_seconds, const MakeAudio& make);

Result<AudioOutput> plan_audio_output(const AudioOptions& options);

// The text of a file, or of standard input for "-".
Result<std::string> read_text(const std::string& path);

// The request that the words and --text-feed mean.
Request to_request(const SpeechOptions& options, const std::string& text);

}  // namespace kazeia
