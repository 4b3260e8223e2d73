// links: kazeia_stage_audio
// Samples as bytes: clipping, byte order, and the header of a WAV without a known length.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "stages/audio/audio.h"

namespace kazeia {
namespace {

std::vector<int> as_ints(const std::vector<std::byte>& bytes) {
  std::vector<int> ints;
  for (const std::byte byte : bytes) ints.push_back(std::to_integer<int>(byte));
  return ints;
}

uint32_t u32_at(const std::vector<std::byte>& bytes, size_t offset) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string tag_at(const std::vector<std::byte>& bytes, size_t offset) {
  return {reinterpret_cast<const char*>(bytes.data()) + offset, 4};
}

TEST(Audio, full_scale_is_symmetric_and_louder_samples_are_clipped) {
  EXPECT_EQ(to_s16(0), 0);
  EXPECT_EQ(to_s16(1), 32767);
  EXPECT_EQ(to_s16(-1), -32767);
  EXPECT_EQ(to_s16(1.5F), 32767);
  EXPECT_EQ(to_s16(-100), -32767);
  EXPECT_EQ(to_s16(std::numeric_limits<float>::infinity()), 32767);
  EXPECT_EQ(to_s16(std::nanf("")), 0);
}

TEST(Audio, samples_are_rounded_to_the_nearest_integer) {
  EXPECT_EQ(to_s16(0.6F / 32767), 1);
  EXPECT_EQ(to_s16(-0.6F / 32767), -1);
  EXPECT_EQ(to_s16(0.4F / 32767), 0);
}

TEST(Audio, bytes_are_little_endian) {
  const float samples[] = {1.0F, -1.0F};
  std::vector<std::byte> bytes;
  append_pcm(samples, SampleFormat::s16, bytes);
  EXPECT_EQ(as_ints(bytes), (std::vector<int>{0xFF, 0x7F, 0x01, 0x80}));
  bytes.clear();
  append_pcm(samples, SampleFormat::f32, bytes);
  EXPECT_EQ(as_ints(bytes), (std::vector<int>{0, 0, 0x80, 0x3F, 0, 0, 0x80, 0xBF}));
}

TEST(Audio, a_streamed_wav_header_has_open_sizes) {
  const auto header = streamed_wav_header(SampleFormat::s16, 24000);
  ASSERT_EQ(header.size(), 44U);
  EXPECT_EQ(tag_at(header, 0), "RIFF");
  EXPECT_EQ(u32_at(header, 4), 0xFFFFFFFFU);
  EXPECT_EQ(tag_at(header, 8), "WAVE");
  EXPECT_EQ(u32_at(header, 16), 16U);          // size of the format chunk
  EXPECT_EQ(u32_at(header, 20), 0x00010001U);  // PCM, one channel
  EXPECT_EQ(u32_at(header, 24), 24000U);       // samples a second
  EXPECT_EQ(u32_at(header, 28), 48000U);       // bytes a second
  EXPECT_EQ(u32_at(header, 32), 0x00100002U);  // 2 bytes a sample, 16 bits
  EXPECT_EQ(tag_at(header, 36), "data");
  EXPECT_EQ(u32_at(header, 40), 0xFFFFFFFFU);
}

TEST(Audio, a_float_header_says_float) {
  const auto header = streamed_wav_header(SampleFormat::f32, 16000);
  ASSERT_EQ(header.size(), 58U);
  EXPECT_EQ(u32_at(header, 20), 0x00010003U);  // IEEE float, one channel
  EXPECT_EQ(u32_at(header, 28), 64000U);
  EXPECT_EQ(tag_at(header, 38), "fact");
  EXPECT_EQ(tag_at(header, 50), "data");
}

}  // namespace
}  // namespace kazeia
