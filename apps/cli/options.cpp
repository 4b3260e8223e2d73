// The option tables. CLI11 is slow to compile, so it is included here only.
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kazeia {
namespace {

// Ends the help of commands that take a model.
constexpr const char* kModelHelp =
    "MODEL is a GGUF file from `kazeia convert`, an official checkpoint folder, or random:SIZE:TYPE (seeded weights: "
    "noise;\n"
    "sizes tiny, 0.6b, 1.7b). Without -m: $KAZEIA_MODEL, else the default voice, models/kazeia-voice.gguf.\n";

constexpr const char* kAudioHelp =
    "FILE is .wav, .flac, .ogg or .opus (both Ogg Opus), .mp3, .raw or .pcm (samples alone). Samples are mono, "
    "16-bit,\n"
    "little-endian, at the model's rate (24 kHz in published models). The file appears when it is complete.\n";

// Checks without CLI11's own words in the help, where they would stand beside ours.
CLI::Validator between(double low, double high) { return CLI::Range(low, high).description(""); }
CLI::Validator not_negative() { return CLI::NonNegativeNumber.description(""); }

// Everything the tables fill. Words of a text that was given without quotes are joined.
struct Filled {
  SayOptions say;
  DecodeOptions decode;
  TraceOptions trace;
  TokenizeOptions tokenize;
  ConvertOptions convert;
  InspectOptions inspect;
  BenchOptions bench;
  VoicesOptions voices;
  DoctorOptions doctor;
  std::vector<std::string> say_words, tokenize_words;
};

void add_model(CLI::App* command, ModelOptions& options) {
  command->add_option("-m,--model", options.model, "The model, see below")->type_name("MODEL");
  command
      ->add_option("-t,--threads", options.num_threads,
                   "1..256; default: one for each physical core, at most 16; small models: 1")
      ->check(between(1, 256))
      ->type_name("N");
  command
      ->add_option(
          "--place", options.placement,
          "Where parts run: talker, code_predictor, codec, codec.wave or all, for instance \"codec=HTP0:strict\" "
          "(see `kazeia doctor`); default: the CPU, or a device known to be faster")
      ->type_name("SPEC");
  command
      ->add_option(
          "--kernels", options.kernels,
          "Instruction set of the CPU's own loops, for instance avx2 or scalar (see `kazeia doctor`); default: "
          "the best")
      ->type_name("NAME");
}

void add_speech(CLI::App* command, SpeechOptions& options) {
  command
      ->add_option("-v,--voice", options.voice, "See `kazeia voices`; default: the language's first, else the model's")
      ->type_name("NAME");
  command->add_option("-l,--language", options.language, "For instance french; default: the voice's own, else auto")
      ->type_name("NAME");
  command->add_option("--instruct", options.instruct, "How to speak; for a voice_design model: what the voice is like")
      ->type_name("TEXT");
  command
      ->add_option("--text-feed", options.text_feed,
                   "full: all of the text at once; streaming: one token with each frame")
      ->check(CLI::IsMember({"full", "streaming"}))
      ->type_name("FEED");
}

void add_audio(CLI::App* command, AudioOptions& options) {
  command
      ->add_option("-o,--output", options.path, "Format by extension, see below; - is standard output: samples alone")
      ->capture_default_str()
      ->type_name("FILE");
  auto* raw = command->add_flag("--raw", options.raw, "Samples without a header, whatever the extension");
  command->add_flag("--wav", options.wav, "WAV, whatever the extension, also with -o -")->excludes(raw);
  command->add_flag("--float", options.use_float, "32-bit float samples instead of 16-bit integers (WAV, raw)");
}

// CLI11 would read "-1" as 2^64 - 1.
std::string expect_digits(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : "expected a whole number from 0, found '" + text + "'";
}

void add_sampling(CLI::App* command, SayOptions& options) {
  constexpr const char* kGroup = "Sampling (default: what the model says)";
  const CLI::Validator positive = between(1e-6, 1e6);
  auto add = [&](const char* name, auto& value, const char* help, const CLI::Validator& check, const char* type) {
    command->add_option(name, value, help)->check(check)->type_name(type)->group(kGroup);
  };
  add("--seed", options.seed, "Same seed, same speech; default: drawn, and reported", CLI::Validator(expect_digits, ""),
      "N");
  command->add_flag("--greedy", options.greedy, "Always the likeliest code, no chance")->group(kGroup);
  add("--temperature", options.talker.temperature, "Above 0; lower is steadier", positive, "X");
  add("--top-k", options.talker.top_k, "Only the K likeliest codes; 0: all", not_negative(), "K");
  add("--top-p", options.talker.top_p, "Only the likeliest codes that sum up to P, in (0, 1]", between(1e-6, 1.0), "P");
  add("--repetition-penalty", options.repetition_penalty, "Above 0; 1: off", positive, "X");
  add("--cp-temperature", options.code_predictor.temperature, "Above 0; these three are for the code predictor",
      positive, "X");
  add("--cp-top-k", options.code_predictor.top_k, "As --top-k", not_negative(), "K");
  add("--cp-top-p", options.code_predictor.top_p, "As --top-p", between(1e-6, 1.0), "P");
}

void add_say(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("say", "Speak a text into a file or to standard output");
  SayOptions& options = filled.say;
  command->add_option("text", filled.say_words, "What to say; - reads standard input")->type_name("TEXT");
  command->add_option("-f,--file", options.text_file, "Read the text from a file (UTF-8); - is standard input")
      ->type_name("FILE");
  add_model(command, options.model);
  add_speech(command, options.speech);
  add_audio(command, options.audio);
  add_sampling(command, options);
  constexpr const char* kLimits = "Limits";
  command->add_option("--max-seconds", options.max_seconds, "Stop after this much audio; default: scaled to the text")
      ->check(between(0.001, 1e6))
      ->type_name("S")
      ->group(kLimits);
  command->add_option("--max-frames", options.max_frames, "The same in frames, 80 ms each in published models")
      ->check(between(1, 10'000'000))
      ->type_name("N")
      ->group(kLimits);
  command
      ->add_option("--silence-limit", options.silence_limit_ms,
                   "Stop after this much silence; 0: never; default: 8000 ms")
      ->check(not_negative())
      ->type_name("MS")
      ->group(kLimits);
  command->add_option("--report", options.report_path, "Write settings, figures and finish reason as JSON")
      ->type_name("FILE.json");
  command->add_option("--codes", options.codes_path, "Write the codes, int32 [frames, groups], for decode and trace")
      ->type_name("FILE.npy");
  command->footer(std::string(kModelHelp) + kAudioHelp +
                  "The last line on stderr: seconds of audio, RTF (computing time / audio time), finish reason, seed, "
                  "time to first "
                  "audio.\nCtrl-C stops and leaves no file.\n"
                  "Examples:\n"
                  "  kazeia say \"Bonjour Kazeia\"                       writes kazeia.wav\n"
                  "  kazeia say -m voice.gguf -l french -f page.txt -o page.opus\n"
                  "  echo Hello | kazeia say - -o - | aplay -f S16_LE -r 24000 -c 1\n"
                  "  kazeia say --seed 42 --report run.json --codes run.npy \"Hello\" -o hello.flac");
}

void add_decode(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("decode", "Turn codes into audio");
  command->add_option("codes", filled.decode.codes_path, "Codes [frames, groups], int32 or int64")
      ->required()
      ->type_name("CODES.npy");
  add_model(command, filled.decode.model);
  add_audio(command, filled.decode.audio);
  command->add_option("--report", filled.decode.report_path, "Write the figures as JSON")->type_name("FILE.json");
  command->footer(std::string(kModelHelp) + kAudioHelp + "Example:\n  kazeia decode run.npy -m voice.gguf -o run.wav");
}

void add_trace(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("trace", "Run with given codes and write what the model thought of each");
  command->add_option("--text", filled.trace.text, "The text that the codes speak")->required()->type_name("TEXT");
  command->add_option("--codes", filled.trace.codes_path, "Codes [frames, groups], int32 or int64")
      ->required()
      ->type_name("CODES.npy");
  command->add_option("-o,--output", filled.trace.folder, "Folder for the results; made if it is missing")
      ->required()
      ->type_name("DIR");
  add_model(command, filled.trace.model);
  add_speech(command, filled.trace.speech);
  command->footer(
      std::string(kModelHelp) +
      "Writes prompt_ids.npy [rows, 2], talker_logits.npy [frames, V], cp_logits.npy [frames, K - 1, codebook "
      "size]\nand pcm.npy [samples]. Step t of the logits has seen frames 0..t-1.\n"
      "Example:\n  kazeia trace -m voice.gguf --text \"Hello\" --codes run.npy -o trace");
}

void add_tokenize(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("tokenize", "Print the ids of a text");
  command->add_option("text", filled.tokenize_words, "The text; - reads standard input")->required()->type_name("TEXT");
  command
      ->add_option("-m,--model", filled.tokenize.model.model,
                   "See below; a folder with only the tokenizer files is enough")
      ->type_name("MODEL");
  command->add_flag("--tokens", filled.tokenize.with_tokens, "One line for each id, with its bytes");
  command->footer(std::string(kModelHelp) + "Example:\n  kazeia tokenize -m voice.gguf \"Bonjour Kazeia\"");
}

void add_convert(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("convert", "Make one GGUF file of an official checkpoint");
  command
      ->add_option("checkpoint", filled.convert.checkpoint,
                   "Folder with config.json, *.safetensors, tokenizer files, speech_tokenizer/")
      ->required()
      ->type_name("DIR");
  command->add_option("-o,--output", filled.convert.output, "The file to write; it appears when it is complete")
      ->required()
      ->type_name("FILE.gguf");
  command->add_option("--type", filled.convert.type, "Type of the matrices; mixed is the best quality for its size")
      ->check(CLI::IsMember({"f32", "bf16", "f16", "q8_0", "q4_0", "mixed"}))
      ->capture_default_str()
      ->type_name("TYPE");
  command->footer("Example:\n  kazeia convert Qwen3-TTS-12Hz-0.6B-CustomVoice -o voice.gguf --type q8_0");
}

void add_inspect(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("inspect", "Show what is in a model: metadata, types, sizes, tensors");
  command->add_option("model,-m,--model", filled.inspect.model, "The model, see below")->type_name("MODEL");
  command->add_flag("--tensors", filled.inspect.tensors, "List every tensor");
  command->footer(std::string(kModelHelp) + "Example:\n  kazeia inspect voice.gguf --tensors");
}

void add_bench(CLI::App& app, Filled& filled) {
  auto* command = app.add_subcommand("bench", "Measure a model on this machine, beside what the machine can do");
  add_model(command, filled.bench.model);
  command
      ->add_option("--frames", filled.bench.num_frames, "Frames of the measured run (80 ms each in published models)")
      ->check(between(1, 100'000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--text", filled.bench.text, "What is said; a longer text has a longer prompt")
      ->capture_default_str();
  command->add_flag("--json", filled.bench.json, "Figures as JSON on standard output");
  command->footer(std::string(kModelHelp) +
                  "Greedy, one short run to warm up and one measured.\n"
                  "Examples:\n"
                  "  kazeia bench -m random:0.6b:q8_0\n"
                  "  kazeia bench -m voice.gguf --frames 100 -t 4 --json");
}

void add_small(CLI::App& app, Filled& filled) {
  auto* voices = app.add_subcommand("voices", "List the voices and languages of a model");
  add_model(voices, filled.voices.model);
  voices->footer(std::string(kModelHelp) + "Example:\n  kazeia voices -m voice.gguf");
  auto* doctor = app.add_subcommand("doctor", "Show processor, memory and devices; with -m, check a model");
  add_model(doctor, filled.doctor.model);
  doctor->footer(std::string(kModelHelp) +
                 "With --place: which nodes run where, what is refused and why, and what crosses.\n"
                 "Examples:\n"
                 "  kazeia doctor -m voice.gguf\n"
                 "  kazeia doctor -m voice.gguf --place codec=sim:hexagon:strict");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// command: empty for the program itself.
int usage_error(const std::string& command, const std::string& problem) {
  const std::string name = command.empty() ? "kazeia" : "kazeia " + command;
  std::fprintf(stderr, "%s: %s\nRun `%s --help` for help.\n", name.c_str(), problem.c_str(), name.c_str());
  return kExitUsage;
}

std::variant<Command, int> finish_say(Filled& filled) {
  if (filled.say_words.empty() == filled.say.text_file.empty()) {
    return usage_error("say", filled.say_words.empty()
                                  ? "no text; give it as an argument, with -f FILE, or as - for standard input"
                                  : "give the text as an argument or with -f, not both");
  }
  filled.say.text = joined(filled.say_words);
  return std::move(filled.say);
}

std::variant<Command, int> chosen_command(const std::string& name, Filled& filled) {
  filled.tokenize.text = joined(filled.tokenize_words);
  if (name == "say") return finish_say(filled);
  if (name == "decode") return std::move(filled.decode);
  if (name == "trace") return std::move(filled.trace);
  if (name == "tokenize") return std::move(filled.tokenize);
  if (name == "convert") return std::move(filled.convert);
  if (name == "inspect") return std::move(filled.inspect);
  if (name == "bench") return std::move(filled.bench);
  if (name == "voices") return std::move(filled.voices);
  return std::move(filled.doctor);
}

}  // namespace

std::variant<Command, int> parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Text to speech on this machine, with Qwen3-TTS 12 Hz models.", "kazeia");
  app.set_version_flag("--version", "kazeia " KAZEIA_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "Examples:\n"
      "  kazeia say \"Bonjour Kazeia\" -o bonjour.wav\n"
      "  kazeia convert CHECKPOINT -o voice.gguf\n"
      "  kazeia COMMAND --help          options, units and examples of one command\n"
      "Exit codes: 0 done, 1 failed (the reason is on stderr), 2 wrong usage.");
  Filled filled;
  add_say(app, filled);
  add_decode(app, filled);
  add_trace(app, filled);
  add_tokenize(app, filled);
  add_convert(app, filled);
  add_inspect(app, filled);
  add_bench(app, filled);
  add_small(app, filled);
  if (argc <= 1) {
    std::fputs(app.help().c_str(), stderr);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const auto subcommands = app.get_subcommands();
    if (subcommands.empty() && argv[1][0] != '-') {
      return usage_error("", "unknown command '" + std::string(argv[1]) + "'");
    }
    return usage_error(subcommands.empty() ? "" : subcommands.front()->get_name(), error.what());
  }
  return chosen_command(app.get_subcommands().front()->get_name(), filled);
}

}  // namespace kazeia
