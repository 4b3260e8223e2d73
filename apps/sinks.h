// Where audio goes: a file whose format its extension names, or a stream of samples on standard output.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "stages/audio/audio.h"

namespace kazeia {

enum class AudioFormat { wav, flac, opus, mp3, raw };
const char* audio_format_name(AudioFormat format);

struct AudioOutput {
  std::string path;  // empty: standard output
  AudioFormat format = AudioFormat::wav;
  SampleFormat samples = SampleFormat::s16;  // wav and raw; the others choose for themselves
};

struct AudioOutputOptions {
  std::string path;        // "-": standard output, raw unless `wav`
  bool raw = false;        // samples without a header, whatever the extension
  bool wav = false;        // WAV, also on standard output
  bool use_float = false;  // f32 instead of s16
};

// Checks extension and folder before any work is done: wav, flac, ogg, opus, mp3, raw, pcm.
Result<AudioOutput> plan_audio_output(const AudioOutputOptions& options);

class AudioWriter {
 public:
  virtual ~AudioWriter() = default;  // without finish(): no file is left behind
  virtual Status write(std::span<const float> samples) = 0;
  virtual Status finish() = 0;
};

Result<std::unique_ptr<AudioWriter>> open_audio_writer(const AudioOutput& output, int sample_rate_hz);

}  // namespace kazeia
