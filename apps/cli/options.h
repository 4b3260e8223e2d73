// What the user asked for: one plain struct for each command, filled by parse_command_line().
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace kazeia {

struct ModelOptions {
  std::string model;  // empty: see session.h
  int num_threads = 0;
  std::string placement;
  std::string kernels;
};

// The words and how to say them.
struct SpeechOptions {
  std::string voice, language, instruct;
  std::string text_feed;  // "full", "streaming"; empty: the model's own
};

struct ChainOptions {
  std::optional<float> temperature, top_p;
  std::optional<int> top_k;
};

// Where audio goes, and in which form.
struct AudioOptions {
  std::string path = "kazeia.wav";
  bool raw = false, wav = false, use_float = false;
};

struct SayOptions {
  ModelOptions model;
  SpeechOptions speech;
  AudioOptions audio;
  std::string text;       // "-": standard input
  std::string text_file;  // "-": standard input
  std::optional<uint64_t> seed;
  bool greedy = false;
  ChainOptions talker, code_predictor;
  std::optional<float> repetition_penalty;
  double max_seconds = 0;  // 0: no limit of the user's
  int max_frames = 0;      // 0: scaled to the text
  std::optional<int> silence_limit_ms;
  std::string report_path, codes_path;
};

struct DecodeOptions {
  ModelOptions model;
  AudioOptions audio;
  std::string codes_path;
  std::string report_path;
};

struct TraceOptions {
  ModelOptions model;
  SpeechOptions speech;
  std::string text, codes_path;
  std::string folder;
};

struct TokenizeOptions {
  ModelOptions model;
  std::string text;
  bool with_tokens = false;
};

struct ConvertOptions {
  std::string checkpoint, output;
  std::string type = "q8_0";
};

struct InspectOptions {
  std::string model;
  bool tensors = false;  // list each of them
};

struct BenchOptions {
  ModelOptions model;
  std::string text = "The quick brown fox jumps over the lazy dog, and nobody knows why.";
  int num_frames = 50;
  bool json = false;
};

struct VoicesOptions {
  ModelOptions model;
};

struct DoctorOptions {
  ModelOptions model;
};

using Command = std::variant<SayOptions, DecodeOptions, TraceOptions, TokenizeOptions, ConvertOptions, InspectOptions,
                             BenchOptions, VoicesOptions, DoctorOptions>;

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

// The command, or the exit code of a call that is answered already: help, version, or a wrong option (explained on
// stderr).
std::variant<Command, int> parse_command_line(int argc, const char* const* argv);

}  // namespace kazeia
