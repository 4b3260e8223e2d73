#include "engine/audio_stream.h"

#include <algorithm>

namespace kazeia {
namespace {

// Chunks grow 1, 2, 4, 8 frames: at 80 ms a frame each is made while the one before it plays.
constexpr int kMaxChunkFrames = 8;

}  // namespace

AudioStream::AudioStream(CodecDecoder& decoder, const CodecConfig& config, const AudioSink& sink, int silence_limit_ms,
                         std::chrono::steady_clock::time_point call_start)
    : decoder_(decoder),
      sink_(sink),
      fresh_watchdog_(config.sample_rate_hz, silence_limit_ms),
      watchdog_(fresh_watchdog_),
      call_start_(call_start) {
  decoder_.reset();
}

Status AudioStream::push(std::span<const int32_t> frame) {
  pending_.insert(pending_.end(), frame.begin(), frame.end());
  if (++pending_frames_ < chunk_frames_) return ok();
  KZ_RETURN_IF_ERROR(flush());
  chunk_frames_ = std::min(2 * chunk_frames_, kMaxChunkFrames);
  return ok();
}

void AudioStream::next_piece() {
  watchdog_ = fresh_watchdog_;
  if (ended_ == FinishReason::silence) ended_.reset();
}

Status AudioStream::flush() {
  if (pending_frames_ == 0) return ok();
  samples_.clear();
  KZ_RETURN_IF_ERROR(decoder_.push(pending_, samples_));
  pending_.clear();
  pending_frames_ = 0;
  if (ended_ == FinishReason::cancelled) return ok();  // the sink has said stop: it gets no more
  if (num_samples_ == 0) {
    const auto elapsed = std::chrono::steady_clock::now() - call_start_;
    first_audio_ms_ = std::chrono::duration<double, std::milli>(elapsed).count();
  }
  num_samples_ += static_cast<int64_t>(samples_.size());
  if (watchdog_.push(samples_)) ended_ = FinishReason::silence;
  if (sink_ && sink_(samples_) == SinkAnswer::stop) ended_ = FinishReason::cancelled;
  return ok();
}

}  // namespace kazeia
