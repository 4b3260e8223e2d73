// Frames -> decoder -> sink: the first sounds leave at once, later ones in larger chunks that cost less.
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "engine/termination.h"
#include "kazeia/engine.h"
#include "stages/codec/decoder.h"

namespace kazeia {

class AudioStream {
 public:
  // Starts a new utterance on the decoder.
  AudioStream(CodecDecoder& decoder, const CodecConfig& config, const AudioSink& sink, int silence_limit_ms,
              std::chrono::steady_clock::time_point call_start);

  // Takes a frame [K]; decodes and delivers when a chunk is full. Afterwards ended() tells whether to go on.
  Status push(std::span<const int32_t> frame);
  // A new part of the text begins in the same stream: a silence that ended the part before it is over.
  void next_piece();
  // Delivers what is left. Every frame pushed is heard, to its last sample.
  Status flush();

  // Why no further frame is wanted: `cancelled` (the sink said stop) or `silence` (the watchdog).
  std::optional<FinishReason> ended() const { return ended_; }
  int64_t num_samples() const { return num_samples_; }
  double first_audio_ms() const { return first_audio_ms_; }

 private:
  CodecDecoder& decoder_;
  const AudioSink& sink_;
  SilenceWatchdog fresh_watchdog_, watchdog_;
  std::chrono::steady_clock::time_point call_start_;
  std::vector<int32_t> pending_;  // codes of the chunk being filled
  std::vector<float> samples_;    // reused
  int pending_frames_ = 0;
  int chunk_frames_ = 1;
  int64_t num_samples_ = 0;
  double first_audio_ms_ = 0;
  std::optional<FinishReason> ended_;
};

}  // namespace kazeia
