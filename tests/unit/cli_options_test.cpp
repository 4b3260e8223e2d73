// links: kazeia_apps
// The command line and the environment as plain structs, and what a wrong call answers.
#include <gtest/gtest.h>

#include <map>

#include "cli/environment.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace kazeia {
namespace {

std::variant<Command, int> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "kazeia");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

template <class Options>
Options expect(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  const Command* command = std::get_if<Command>(&parsed);
  EXPECT_NE(command, nullptr);
  if (command == nullptr || !std::holds_alternative<Options>(*command)) {
    ADD_FAILURE() << "another command was parsed";
    return {};
  }
  return std::get<Options>(*command);
}

int exit_code(const std::vector<const char*>& arguments) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const auto parsed = parse(arguments);
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  const int* code = std::get_if<int>(&parsed);
  return code == nullptr ? -1 : *code;
}

TEST(Options, say_fills_every_field) {
  const auto say = expect<SayOptions>({"say",
                                       "-m",
                                       "v.gguf",
                                       "-v",
                                       "ryan",
                                       "-l",
                                       "french",
                                       "--instruct",
                                       "slowly",
                                       "--seed",
                                       "18446744073709551615",
                                       "--temperature",
                                       "0.5",
                                       "--top-k",
                                       "7",
                                       "--top-p",
                                       "0.8",
                                       "--repetition-penalty",
                                       "1.2",
                                       "--cp-temperature",
                                       "0.4",
                                       "--cp-top-k",
                                       "3",
                                       "--cp-top-p",
                                       "0.7",
                                       "--max-seconds",
                                       "2.5",
                                       "--max-frames",
                                       "9",
                                       "--silence-limit",
                                       "0",
                                       "-t",
                                       "3",
                                       "--place",
                                       "codec=cpu",
                                       "--kernels",
                                       "scalar",
                                       "-o",
                                       "x.flac",
                                       "--text-feed",
                                       "streaming",
                                       "--report",
                                       "r.json",
                                       "--codes",
                                       "c.npy",
                                       "Bonjour",
                                       "Kazeia"});
  EXPECT_EQ(say.text, "Bonjour Kazeia");
  EXPECT_EQ(say.model.model, "v.gguf");
  EXPECT_EQ(say.model.num_threads, 3);
  EXPECT_EQ(say.model.placement, "codec=cpu");
  EXPECT_EQ(say.model.kernels, "scalar");
  EXPECT_EQ(say.speech.voice, "ryan");
  EXPECT_EQ(say.speech.language, "french");
  EXPECT_EQ(say.speech.instruct, "slowly");
  EXPECT_EQ(say.speech.text_feed, "streaming");
  EXPECT_EQ(say.seed, UINT64_MAX);
  EXPECT_EQ(say.talker.temperature, 0.5F);
  EXPECT_EQ(say.talker.top_k, 7);
  EXPECT_EQ(say.talker.top_p, 0.8F);
  EXPECT_EQ(say.repetition_penalty, 1.2F);
  EXPECT_EQ(say.code_predictor.temperature, 0.4F);
  EXPECT_EQ(say.code_predictor.top_k, 3);
  EXPECT_EQ(say.code_predictor.top_p, 0.7F);
  EXPECT_EQ(say.max_seconds, 2.5);
  EXPECT_EQ(say.max_frames, 9);
  EXPECT_EQ(say.silence_limit_ms, 0);
  EXPECT_EQ(say.audio.path, "x.flac");
  EXPECT_EQ(say.report_path, "r.json");
  EXPECT_EQ(say.codes_path, "c.npy");
}

TEST(Options, what_is_not_given_is_left_to_the_model) {
  const auto say = expect<SayOptions>({"say", "hello"});
  EXPECT_EQ(say.audio.path, "kazeia.wav");
  EXPECT_FALSE(say.seed || say.talker.temperature || say.talker.top_k || say.talker.top_p || say.repetition_penalty);
  EXPECT_FALSE(say.silence_limit_ms);
  EXPECT_FALSE(say.greedy);
}

TEST(Options, a_dash_is_standard_input_or_output) {
  const auto say = expect<SayOptions>({"say", "-", "-o", "-"});
  EXPECT_EQ(say.text, "-");
  EXPECT_EQ(say.audio.path, "-");
  EXPECT_EQ(expect<SayOptions>({"say", "-f", "-"}).text_file, "-");
}

TEST(Options, text_that_looks_like_an_option_follows_two_dashes) {
  EXPECT_EQ(expect<SayOptions>({"say", "--", "--help"}).text, "--help");
}

TEST(Options, other_commands_fill_theirs) {
  EXPECT_EQ(expect<DecodeOptions>({"decode", "c.npy", "-o", "x.wav"}).codes_path, "c.npy");
  EXPECT_EQ(expect<TraceOptions>({"trace", "--text", "a", "--codes", "c.npy", "-o", "d"}).folder, "d");
  EXPECT_EQ(expect<TokenizeOptions>({"tokenize", "a", "b"}).text, "a b");
  EXPECT_EQ(expect<ConvertOptions>({"convert", "dir", "-o", "m.gguf"}).type, "q8_0");
  EXPECT_EQ(expect<InspectOptions>({"inspect", "m.gguf"}).model, "m.gguf");
  EXPECT_EQ(expect<InspectOptions>({"inspect", "-m", "m.gguf"}).model, "m.gguf");
  EXPECT_EQ(expect<BenchOptions>({"bench", "--frames", "5"}).num_frames, 5);
  EXPECT_EQ(expect<BenchOptions>({"bench", "--text", "Good day"}).text, "Good day");
  EXPECT_EQ(expect<VoicesOptions>({"voices", "-m", "x"}).model.model, "x");
  EXPECT_EQ(expect<DoctorOptions>({"doctor"}).model.model, "");
}

TEST(Options, help_and_version_are_answered_with_0) {
  EXPECT_EQ(exit_code({"--help"}), 0);
  EXPECT_EQ(exit_code({"--version"}), 0);
  for (const char* command :
       {"say", "decode", "trace", "tokenize", "convert", "inspect", "bench", "voices", "doctor"}) {
    EXPECT_EQ(exit_code({command, "--help"}), 0) << command;
  }
}

TEST(Options, wrong_usage_is_answered_with_2) {
  EXPECT_EQ(exit_code({}), 2);
  EXPECT_EQ(exit_code({"shout"}), 2);
  EXPECT_EQ(exit_code({"say"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "-f", "b"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--loud"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--top-p", "2"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--temperature", "0"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--seed", "x"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--seed", "-1"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "-t", "0"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--raw", "--wav"}), 2);
  EXPECT_EQ(exit_code({"say", "a", "--text-feed", "fast"}), 2);
  EXPECT_EQ(exit_code({"decode"}), 2);
  EXPECT_EQ(exit_code({"convert", "dir"}), 2);
  EXPECT_EQ(exit_code({"convert", "dir", "-o", "x", "--type", "q5"}), 2);
}

Environment environment_of(const std::map<std::string, std::string>& variables) {
  return read_environment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Environment, nothing_set_places_nothing) {
  const Environment environment = environment_of({});
  EXPECT_EQ(environment.placement, "");
  EXPECT_FALSE(environment.decoder_profile);
  EXPECT_TRUE(environment.notes.empty());
}

TEST(Environment, the_first_engines_switches_map_to_placements) {
  EXPECT_EQ(environment_of({{"KZTTS_DECODER_HTP", "1"}}).placement, "codec=HTP0:weights");
  EXPECT_EQ(environment_of({{"KZTTS_DECODER_HTP", "1"}, {"KZTTS_DECODER_SCHED", "1"}}).placement, "codec=HTP0");
  EXPECT_EQ(environment_of({{"KZTTS_CP_HTP", "1"}}).placement, "code_predictor=HTP0:weights");
  EXPECT_EQ(environment_of({{"KZTTS_CP_HTP", "1"}, {"KZTTS_CP_SCHED", "1"}}).placement, "code_predictor=HTP0");
  const Environment both = environment_of({{"KZTTS_DECODER_HTP", "1"}, {"KZTTS_CP_HTP", "1"}});
  EXPECT_EQ(both.placement, "codec=HTP0:weights code_predictor=HTP0:weights");
  EXPECT_EQ(both.notes.size(), 2U);
}

TEST(Environment, zero_and_empty_are_off) {
  EXPECT_EQ(environment_of({{"KZTTS_DECODER_HTP", "0"}, {"KZTTS_CP_HTP", ""}}).placement, "");
  EXPECT_TRUE(environment_of({{"KZTTS_DECODER_PROFILE", "1"}}).decoder_profile);
}

TEST(Environment, a_switch_without_effect_is_said) {
  const Environment environment = environment_of({{"KZTTS_CP_SCHED", "1"}, {"KZTTS_CP_CACHE", "1"}});
  EXPECT_EQ(environment.placement, "");
  EXPECT_EQ(environment.notes.size(), 2U);
}

TEST(Terminal, sizes_and_counts_are_readable) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1234), "1.2 kB");
  EXPECT_EQ(human_bytes(999'999), "1.0 MB");
  EXPECT_EQ(human_bytes(1.3e9), "1.3 GB");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-1'000), "-1,000");
}

TEST(Terminal, a_table_pads_columns_by_characters) {
  EXPECT_EQ(table({{"a", "1"}, {"\xC3\xA9t\xC3\xA9", "22"}}, {Align::left, Align::right}),
            "a     1\n\xC3\xA9t\xC3\xA9  22\n");
}

TEST(Terminal, a_bar_fills_with_its_fraction) {
  EXPECT_EQ(bar_text(0), "[>" + std::string(29, ' ') + "]");
  EXPECT_EQ(bar_text(1), "[" + std::string(30, '=') + "]");
  EXPECT_EQ(bar_text(7).size(), bar_text(0.5).size());
}

}  // namespace
}  // namespace kazeia
