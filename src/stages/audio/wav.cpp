#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "base/result.h"
#include "stages/audio/audio.h"

namespace kazeia {
namespace {

constexpr uint32_t kUnknownSize = 0xFFFFFFFF;
constexpr uint16_t kWavFormatPcm = 1;
constexpr uint16_t kWavFormatFloat = 3;

void append_le(std::vector<std::byte>& out, uint32_t value, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void append_tag(std::vector<std::byte>& out, std::string_view tag) {
  for (const char c : tag) out.push_back(static_cast<std::byte>(c));
}

}  // namespace

int sample_bytes(SampleFormat format) { return format == SampleFormat::s16 ? 2 : 4; }

int16_t to_s16(float sample) {
  if (!(sample > -1.0F)) return std::isnan(sample) ? int16_t{0} : int16_t{-32767};
  if (sample >= 1.0F) return 32767;
  return static_cast<int16_t>(std::lrintf(sample * 32767.0F));
}

void append_pcm(std::span<const float> samples, SampleFormat format, std::vector<std::byte>& out) {
  const int num_bytes = sample_bytes(format);
  out.reserve(out.size() + samples.size() * static_cast<size_t>(num_bytes));
  for (const float sample : samples) {
    if (format == SampleFormat::s16) {
      append_le(out, static_cast<uint16_t>(to_s16(sample)), num_bytes);
    } else {
      append_le(out, std::bit_cast<uint32_t>(sample), num_bytes);
    }
  }
}

std::vector<std::byte> streamed_wav_header(SampleFormat format, int sample_rate_hz) {
  KZ_CHECK(sample_rate_hz > 0);
  const bool is_float = format == SampleFormat::f32;
  const auto block = static_cast<uint32_t>(sample_bytes(format));
  const auto rate = static_cast<uint32_t>(sample_rate_hz);
  std::vector<std::byte> out;
  append_tag(out, "RIFF");
  append_le(out, kUnknownSize, 4);
  append_tag(out, "WAVEfmt ");
  append_le(out, is_float ? 18 : 16, 4);
  append_le(out, is_float ? kWavFormatFloat : kWavFormatPcm, 2);
  append_le(out, /*channels=*/1, 2);
  append_le(out, rate, 4);
  append_le(out, rate * block, 4);
  append_le(out, block, 2);
  append_le(out, 8 * block, 2);
  if (is_float) {  // formats other than PCM have an extension size and a fact chunk
    append_le(out, 0, 2);
    append_tag(out, "fact");
    append_le(out, 4, 4);
    append_le(out, kUnknownSize, 4);
  }
  append_tag(out, "data");
  append_le(out, kUnknownSize, 4);
  return out;
}

}  // namespace kazeia
