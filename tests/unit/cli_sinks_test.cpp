// links: kazeia_apps kazeia_test_support
// Audio files appear complete or not at all, in the format that their name says.
#include <gtest/gtest.h>
#include <sndfile.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "cli/session.h"
#include "formats/atomic_file.h"
#include "sinks.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

std::vector<float> sine(int num_samples) {
  std::vector<float> samples;
  for (int i = 0; i < num_samples; ++i) samples.push_back(0.5F * std::sin(static_cast<float>(i) * 0.1F));
  return samples;
}

size_t num_files(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

struct ReadBack {
  SF_INFO info{};
  std::vector<float> samples;
};

ReadBack read_back(const std::string& path) {
  ReadBack back;
  SNDFILE* file = sf_open(path.c_str(), SFM_READ, &back.info);
  if (file == nullptr) {
    ADD_FAILURE() << path << ": " << sf_strerror(nullptr);
    return back;
  }
  back.samples.resize(static_cast<size_t>(back.info.frames));
  sf_read_float(file, back.samples.data(), back.info.frames);
  sf_close(file);
  return back;
}

Status write_sine(const AudioOutputOptions& options, int num_samples) {
  KZ_TRY(const AudioOutput output, plan_audio_output(options));
  KZ_TRY(const auto writer, open_audio_writer(output, 24000));
  const std::vector<float> samples = sine(num_samples);
  const std::span<const float> all(samples);
  for (size_t at = 0; at < all.size(); at += 1920) {
    KZ_RETURN_IF_ERROR(writer->write(all.subspan(at, std::min<size_t>(1920, all.size() - at))));
  }
  return writer->finish();
}

// The largest difference after the codec's delay is taken out; lossy formats keep a sine's shape.
double rms(const std::vector<float>& samples) {
  double sum = 0;
  for (const float x : samples) sum += static_cast<double>(x) * x;
  return samples.empty() ? 0 : std::sqrt(sum / static_cast<double>(samples.size()));
}

TEST(Sinks, lossless_files_hold_the_samples) {
  const TempFolder folder;
  const std::vector<float> samples = sine(5000);
  for (const char* name : {"a.wav", "a.flac", "A.WAV"}) {
    const Status status = write_sine({.path = folder.file(name)}, 5000);
    ASSERT_TRUE(status) << status.error().message;
    const ReadBack back = read_back(folder.file(name));
    EXPECT_EQ(back.info.samplerate, 24000);
    EXPECT_EQ(back.info.channels, 1);
    ASSERT_EQ(back.samples.size(), samples.size()) << name;
    for (size_t i = 0; i < samples.size(); ++i) ASSERT_NEAR(back.samples[i], samples[i], 1.6 / 32768) << name;
  }
}

TEST(Sinks, float_wav_holds_the_very_samples) {
  const TempFolder folder;
  ASSERT_TRUE(write_sine({.path = folder.file("a.wav"), .use_float = true}, 3000));
  EXPECT_EQ(read_back(folder.file("a.wav")).samples, sine(3000));
}

TEST(Sinks, lossy_files_sound_alike) {
  const TempFolder folder;
  for (const char* name : {"a.ogg", "a.opus", "a.mp3"}) {
    const Status status = write_sine({.path = folder.file(name)}, 24000);
    ASSERT_TRUE(status) << status.error().message;
    const ReadBack back = read_back(folder.file(name));
    EXPECT_NEAR(static_cast<double>(back.samples.size()) / back.info.samplerate, 1.0, 0.1) << name;
    EXPECT_NEAR(rms(back.samples), rms(sine(24000)), 0.03) << name;
  }
}

TEST(Sinks, raw_files_have_no_header) {
  const TempFolder folder;
  ASSERT_TRUE(write_sine({.path = folder.file("a.raw")}, 100));
  EXPECT_EQ(fs::file_size(folder.file("a.raw")), 200U);
  ASSERT_TRUE(write_sine({.path = folder.file("b.wav"), .raw = true, .use_float = true}, 100));
  EXPECT_EQ(fs::file_size(folder.file("b.wav")), 400U);
}

TEST(Sinks, equal_samples_give_equal_bytes) {
  const TempFolder folder;
  for (const bool use_float : {false, true}) {
    ASSERT_TRUE(write_sine({.path = folder.file("a.wav"), .use_float = use_float}, 5000));
    ASSERT_TRUE(write_sine({.path = folder.file("b.wav"), .use_float = use_float}, 5000));
    EXPECT_EQ(test::read_file(folder.file("a.wav")), test::read_file(folder.file("b.wav")));
  }
}

TEST(Sinks, a_file_without_samples_is_still_a_file) {
  const TempFolder folder;
  for (const char* name : {"a.wav", "a.flac", "a.opus", "a.mp3"}) {
    const Status status = write_sine({.path = folder.file(name)}, 0);
    EXPECT_TRUE(status) << status.error().message;
  }
  EXPECT_EQ(read_back(folder.file("a.wav")).samples.size(), 0U);
}

TEST(Sinks, an_unfinished_file_leaves_nothing_and_keeps_the_old_one) {
  const TempFolder folder;
  test::write_file(folder.file("a.wav"), "old");
  {
    const auto output = plan_audio_output(AudioOutputOptions{.path = folder.file("a.wav")});
    ASSERT_TRUE(output);
    const auto writer = open_audio_writer(*output, 24000);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->write(sine(5000)));
    EXPECT_EQ(num_files(folder.path()), 2U);
  }
  EXPECT_EQ(num_files(folder.path()), 1U);
  EXPECT_EQ(test::read_file(folder.file("a.wav")), "old");
}

TEST(Sinks, wrong_outputs_are_refused_before_any_work) {
  const TempFolder folder;
  const auto problem = [](const AudioOutputOptions& options) {
    const auto output = plan_audio_output(options);
    return output ? std::string() : output.error().message;
  };
  EXPECT_NE(problem({.path = folder.file("a.aac")}).find("found '.aac'"), std::string::npos);
  EXPECT_NE(problem({.path = folder.file("a")}).find("no extension"), std::string::npos);
  EXPECT_EQ(problem({.path = folder.file("a"), .wav = true}), "");
  EXPECT_NE(problem({.path = folder.path()}).find("is a folder"), std::string::npos);
  EXPECT_NE(problem({.path = folder.file("none/a.wav")}).find("does not exist"), std::string::npos);
  EXPECT_NE(problem({.path = folder.file("a.mp3"), .use_float = true}).find("--float"), std::string::npos);
  EXPECT_NE(problem({.path = ""}).find("empty name"), std::string::npos);
}

TEST(Sinks, a_rate_that_a_format_lacks_is_refused_without_a_file) {
  const TempFolder folder;
  const auto output = plan_audio_output(AudioOutputOptions{.path = folder.file("a.opus")});
  ASSERT_TRUE(output);
  const auto writer = open_audio_writer(*output, 22050);
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("22050 Hz"), std::string::npos) << writer.error().message;
  EXPECT_EQ(num_files(folder.path()), 0U);
}

TEST(AtomicFile, a_link_stays_a_link_and_a_device_stays_a_device) {
  const TempFolder folder;
  test::write_file(folder.file("target"), "old");
  fs::create_symlink(folder.file("target"), folder.file("link"));
  ASSERT_TRUE(write_file(folder.file("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(test::read_file(folder.file("target")), "new");
  ASSERT_TRUE(write_file("/dev/null", "new"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, a_full_device_is_an_error) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Status status = write_file("/dev/full", "new");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("/dev/full"), std::string::npos);
}

AudioOutput wav_at(const std::string& path) { return {.path = path, .format = AudioFormat::wav}; }

TEST(WriteAudio, a_failed_run_leaves_no_file) {
  const TempFolder folder;
  const auto report = write_audio(wav_at(folder.file("a.wav")), 24000, 0, [](const AudioSink& sink) -> Result<Report> {
    sink(sine(2000));
    return Error{ErrorCode::internal, "no more"};
  });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "no more");
  EXPECT_EQ(num_files(folder.path()), 0U);
}

TEST(WriteAudio, an_interrupt_stops_the_run_and_leaves_no_file) {
  const TempFolder folder;
  SinkAnswer answer = SinkAnswer::proceed;
  const auto report = write_audio(wav_at(folder.file("a.wav")), 24000, 0, [&](const AudioSink& sink) -> Result<Report> {
    EXPECT_EQ(sink(sine(2000)), SinkAnswer::proceed);
    std::raise(SIGINT);
    answer = sink(sine(2000));
    Report made;
    made.finish_reason = FinishReason::cancelled;
    return made;
  });
  EXPECT_EQ(answer, SinkAnswer::stop);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled);
  EXPECT_EQ(num_files(folder.path()), 0U);
}

TEST(Session, text_files_lose_their_last_line_end) {
  const TempFolder folder;
  test::write_file(folder.file("a.txt"), "one\ntwo\r\n\n");
  EXPECT_EQ(*read_text(folder.file("a.txt")), "one\ntwo");
  EXPECT_NE(read_text(folder.file("b.txt")).error().message.find("b.txt"), std::string::npos);
  EXPECT_NE(read_text(folder.path()).error().message.find("is a folder"), std::string::npos);
}

TEST(Session, the_default_voice_is_found_in_the_sources_of_a_build_and_in_an_installation) {
  for (const auto& [program, voice] : {std::pair{"build/release", "models"}, std::pair{"bin", "share/kazeia/models"}}) {
    const TempFolder folder;
    fs::create_directories(folder.file(program));
    fs::create_directories(folder.file(voice));
    test::write_file(folder.file(voice) + "/another.gguf", "");
    const auto nowhere = find_default_voice(folder.file(program));
    ASSERT_FALSE(nowhere);
    const std::string path = folder.file(voice) + "/kazeia-voice.gguf";
    EXPECT_NE(nowhere.error().message.find(path), std::string::npos) << nowhere.error().message;
    test::write_file(path, "");
    EXPECT_EQ(*find_default_voice(folder.file(program)), path);
  }
}

}  // namespace
}  // namespace kazeia
