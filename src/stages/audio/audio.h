// Samples to bytes, for outputs that can't be rewound: PCM, and the header of a WAV whose length is not known yet.
// Files with other formats are written by the hosts' libraries (apps/sinks.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kazeia {

enum class SampleFormat { s16, f32 };  // both little-endian

// Bytes of one sample.
int sample_bytes(SampleFormat format);

// [-1, 1] -> [-32767, 32767], rounded to nearest; louder samples are clipped, NaN is silence.
int16_t to_s16(float sample);

// Appends mono samples in [-1, 1].
void append_pcm(std::span<const float> samples, SampleFormat format, std::vector<std::byte>& out);

// What stands before the samples of a mono WAV that is written to a pipe. Its sizes are 0xFFFFFFFF, which players read
// as "until the end of the stream".
std::vector<std::byte> streamed_wav_header(SampleFormat format, int sample_rate_hz);

}  // namespace kazeia
