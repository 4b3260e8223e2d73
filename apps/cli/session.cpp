#include "cli/session.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/environment.h"
#include "cli/terminal.h"
#include "interrupt.h"

namespace kazeia {
namespace {

namespace fs = std::filesystem;

std::string program_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

// Beside the program, the two folders above (a build tree inside the sources), an installation's share folder.
constexpr const char* kVoicePlaces[] = {"models", "../models", "../../models", "../share/kazeia/models"};
constexpr const char* kVoiceFile = "kazeia-voice.gguf";

}  // namespace

Result<std::string> find_default_voice(const std::string& folder) {
  std::string tried;
  for (const char* place : kVoicePlaces) {
    const fs::path path = (fs::path(folder) / place / kVoiceFile).lexically_normal();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
    tried += "\n  " + path.string();
  }
  return Error{ErrorCode::io, "no model was given with -m, and the default voice is in none of its places:" + tried +
                                  "\nA model is made by `kazeia convert CHECKPOINT -o model.gguf`; `-m "
                                  "random:tiny:f32` runs without one and makes noise"};
}

Result<std::string> resolve_model(const std::string& model) {
  if (!model.empty()) return model;
  const std::string from_environment = read_environment().model;
  if (!from_environment.empty()) {
    print_note("model: " + from_environment + " ($KAZEIA_MODEL)");
    return from_environment;
  }
  return find_default_voice(program_folder());
}

Result<EngineOptions> engine_options(const ModelOptions& options) {
  const Environment environment = read_environment();
  KZ_TRY(const std::string model, resolve_model(options.model));
  EngineOptions engine{
      .model = model, .num_threads = options.num_threads, .placement = options.placement, .kernels = options.kernels};
  for (const std::string& note : environment.notes) print_note(note);
  if (environment.placement.empty()) return engine;
  // The last word for a part counts, so the command line's do.
  engine.placement = environment.placement + (options.placement.empty() ? "" : " ") + options.placement;
  if (!options.placement.empty()) print_note("where --place names the same part as these variables, --place counts");
  return engine;
}

Result<std::unique_ptr<Engine>> load_engine(const ModelOptions& options) {
  KZ_TRY(const EngineOptions engine, engine_options(options));
  return Engine::load(engine);
}

Result<AudioOutput> plan_audio_output(const AudioOptions& options) {
  if (options.path == "-" && isatty(STDOUT_FILENO) == 1) {
    return Error{ErrorCode::invalid_argument,
                 "standard output is a terminal; send it to a program or file, or name one with -o"};
  }
  return plan_audio_output(
      AudioOutputOptions{.path = options.path, .raw = options.raw, .wav = options.wav, .use_float = options.use_float});
}

Result<Report> write_audio(const AudioOutput& output, int sample_rate_hz, double total_seconds, const MakeAudio& make) {
  const InterruptGuard interrupt;
  KZ_TRY(const std::unique_ptr<AudioWriter> writer, open_audio_writer(output, sample_rate_hz));
  std::optional<Error> failed;
  StatusLine progress;
  const auto start = std::chrono::steady_clock::now();
  int64_t num_samples = 0;
  Result<Report> report = make([&](std::span<const float> samples) {
    if (Status status = writer->write(samples); !status) {
      failed = std::move(status).error();
      return SinkAnswer::stop;
    }
    num_samples += static_cast<int64_t>(samples.size());
    const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.update(audio_progress_text(static_cast<double>(num_samples) / sample_rate_hz, total_seconds, elapsed_s));
    return interrupt.requested() ? SinkAnswer::stop : SinkAnswer::proceed;
  });
  progress.clear();
  if (failed) return *std::move(failed);
  if (interrupt.requested()) {
    return Error{ErrorCode::cancelled, output.path.empty() ? "stopped" : "stopped; no file was written"};
  }
  if (!report) return report;
  KZ_RETURN_IF_ERROR(writer->finish());
  return report;
}

Result<std::string> read_text(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string name = is_stdin ? "standard input" : path;
  std::error_code ignored;
  if (!is_stdin && fs::is_directory(path, ignored))
    return Error{ErrorCode::io, name + ": is a folder; expected a text file"};
  std::FILE* file = is_stdin ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Error{ErrorCode::io, name + ": can't open it: " + std::strerror(errno)};
  std::string text;
  char buffer[65536];
  size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, count);
  const bool broken = std::ferror(file) != 0;
  if (!is_stdin) std::fclose(file);
  if (broken) return Error{ErrorCode::io, name + ": can't read it"};
  // The line end of the last line is the file's, not the speech's.
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

Request to_request(const SpeechOptions& options, const std::string& text) {
  Request request;
  request.text = text;
  request.voice = options.voice;
  request.language = options.language;
  request.instruct = options.instruct;
  if (options.text_feed == "full") request.text_feed = Feed::full;
  if (options.text_feed == "streaming") request.text_feed = Feed::streaming;
  return request;
}

}  // namespace kazeia
