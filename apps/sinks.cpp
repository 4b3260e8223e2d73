#include "sinks.h"

#include <sndfile.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/atomic_file.h"

namespace kazeia {
namespace {

constexpr const char* kKnownExtensions = ".wav, .flac, .ogg or .opus (Opus), .mp3, .raw or .pcm (samples alone)";

// SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, which the headers before libsndfile 1.1 lack; such a library then says no.
constexpr int kSndfileMp3 = 0x230000 | 0x0082;

std::optional<AudioFormat> format_of_extension(std::string extension) {
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  if (extension == ".wav") return AudioFormat::wav;
  if (extension == ".flac") return AudioFormat::flac;
  if (extension == ".ogg" || extension == ".opus") return AudioFormat::opus;
  if (extension == ".mp3") return AudioFormat::mp3;
  if (extension == ".raw" || extension == ".pcm") return AudioFormat::raw;
  return std::nullopt;
}

int sndfile_format(const AudioOutput& output) {
  switch (output.format) {
    case AudioFormat::wav:
      return SF_FORMAT_WAV | (output.samples == SampleFormat::s16 ? SF_FORMAT_PCM_16 : SF_FORMAT_FLOAT);
    case AudioFormat::flac: return SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    case AudioFormat::opus: return SF_FORMAT_OGG | SF_FORMAT_OPUS;
    case AudioFormat::mp3: return kSndfileMp3;
    case AudioFormat::raw: return 0;
  }
  return 0;
}

// Samples in the order they come, for anything that can't be rewound and for files without a header.
class StreamWriter final : public AudioWriter {
 public:
  StreamWriter(std::optional<AtomicFile> file, SampleFormat format) : file_(std::move(file)), format_(format) {}

  Status begin(std::span<const std::byte> header) { return write_bytes(header); }

  Status write(std::span<const float> samples) override {
    buffer_.clear();
    append_pcm(samples, format_, buffer_);
    return write_bytes(buffer_);
  }

  Status finish() override { return file_ ? file_->commit() : ok(); }

 private:
  Status write_bytes(std::span<const std::byte> bytes) {
    return file_ ? file_->write(bytes) : write_all(STDOUT_FILENO, bytes, "standard output");
  }

  std::optional<AtomicFile> file_;  // absent: standard output
  SampleFormat format_;
  std::vector<std::byte> buffer_;
};

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};

class SndfileWriter final : public AudioWriter {
 public:
  static Result<std::unique_ptr<AudioWriter>> open(AtomicFile file, const AudioOutput& output, int sample_rate_hz) {
    SF_INFO info{};
    info.samplerate = sample_rate_hz;
    info.channels = 1;
    info.format = sndfile_format(output);
    const std::string what =
        std::string(audio_format_name(output.format)) + " at " + std::to_string(sample_rate_hz) + " Hz";
    if (info.format == 0 || sf_format_check(&info) == 0) {
      return Error{ErrorCode::unsupported, output.path + ": the installed libsndfile can't write " + what};
    }
    std::unique_ptr<SNDFILE, CloseSndfile> handle(sf_open_fd(file.descriptor(), SFM_WRITE, &info, SF_FALSE));
    if (!handle) return Error{ErrorCode::io, output.path + ": can't write " + what + ": " + sf_strerror(nullptr)};
    sf_command(handle.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);
    sf_command(handle.get(), SFC_SET_ADD_PEAK_CHUNK, nullptr,
               SF_FALSE);  // it holds the time: equal audio, unequal bytes
    return std::unique_ptr<AudioWriter>(new SndfileWriter(std::move(file), std::move(handle), info.format));
  }

  Status write(std::span<const float> samples) override {
    const auto count = static_cast<sf_count_t>(samples.size());
    sf_count_t written = 0;
    if ((format_ & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_16) {
      shorts_.resize(samples.size());
      std::transform(samples.begin(), samples.end(), shorts_.begin(), to_s16);
      written = sf_write_short(handle_.get(), shorts_.data(), count);
    } else {
      written = sf_write_float(handle_.get(), samples.data(), count);
    }
    if (written == count) return ok();
    return Error{ErrorCode::io, file_.path() + ": can't write: " + sf_strerror(handle_.get())};
  }

  Status finish() override {
    const int failed = sf_close(handle_.release());
    if (failed != 0) return Error{ErrorCode::io, file_.path() + ": can't finish the file: " + sf_error_number(failed)};
    return file_.commit();
  }

 private:
  SndfileWriter(AtomicFile file, std::unique_ptr<SNDFILE, CloseSndfile> handle, int format)
      : file_(std::move(file)), handle_(std::move(handle)), format_(format) {}

  AtomicFile file_;  // outlives the handle that writes to it
  std::unique_ptr<SNDFILE, CloseSndfile> handle_;
  int format_;
  std::vector<int16_t> shorts_;
};

}  // namespace

const char* audio_format_name(AudioFormat format) {
  switch (format) {
    case AudioFormat::wav: return "WAV";
    case AudioFormat::flac: return "FLAC";
    case AudioFormat::opus: return "Ogg Opus";
    case AudioFormat::mp3: return "MP3";
    case AudioFormat::raw: return "raw samples";
  }
  return "?";
}

Result<AudioOutput> plan_audio_output(const AudioOutputOptions& options) {
  AudioOutput output;
  output.samples = options.use_float ? SampleFormat::f32 : SampleFormat::s16;
  if (options.raw && options.wav) {
    return Error{ErrorCode::invalid_argument, "--raw and --wav exclude each other"};
  }
  if (options.path == "-") {
    output.format = options.wav ? AudioFormat::wav : AudioFormat::raw;
    return output;
  }
  output.path = options.path;
  KZ_RETURN_IF_ERROR(check_writable(options.path));
  if (options.raw || options.wav) {
    output.format = options.raw ? AudioFormat::raw : AudioFormat::wav;
    return output;
  }
  const std::string extension = std::filesystem::path(options.path).extension().string();
  const auto format = format_of_extension(extension);
  if (!format) {
    const std::string found = extension.empty() ? "no extension" : "'" + extension + "'";
    return Error{ErrorCode::invalid_argument, options.path + ": the extension names the format; expected " +
                                                  kKnownExtensions + ", found " + found +
                                                  " (--wav or --raw choose one for any name)"};
  }
  const bool has_float = *format == AudioFormat::wav || *format == AudioFormat::raw;
  if (options.use_float && !has_float) {
    return Error{ErrorCode::invalid_argument,
                 options.path + ": --float is for WAV and raw samples, not for " + audio_format_name(*format)};
  }
  output.format = *format;
  return output;
}

Result<std::unique_ptr<AudioWriter>> open_audio_writer(const AudioOutput& output, int sample_rate_hz) {
  std::optional<AtomicFile> file;
  if (!output.path.empty()) {
    KZ_TRY(AtomicFile created, AtomicFile::create(output.path));
    file.emplace(std::move(created));
  }
  const bool is_stream = !file || !file->can_rewind();
  if (output.format == AudioFormat::raw || (output.format == AudioFormat::wav && is_stream)) {
    auto writer = std::make_unique<StreamWriter>(std::move(file), output.samples);
    if (output.format == AudioFormat::wav) {
      KZ_RETURN_IF_ERROR(writer->begin(streamed_wav_header(output.samples, sample_rate_hz)));
    }
    return std::unique_ptr<AudioWriter>(std::move(writer));
  }
  KZ_CHECK(file.has_value());  // plan_audio_output sends only raw and WAV to standard output
  return SndfileWriter::open(std::move(*file), output, sample_rate_hz);
}

}  // namespace kazeia
