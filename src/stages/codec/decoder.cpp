#include "stages/codec/decoder.h"

#include <algorithm>
#include <chrono>

#include "stages/codec/internal.h"
#include "stages/codec/steps.h"

namespace kazeia {
namespace codec {
namespace {

// Frames computed at once: enough to read each weight rarely, few enough that the wave decoder's rows (1,920 a frame in
// the published models) stay small. A rest is computed as 4, 2 and 1 frames, so that few Plans are needed.
constexpr int kMaxChunkFrames = 4;

int chunk_frames(int64_t num_frames_left) {
  int frames = kMaxChunkFrames;
  while (frames > num_frames_left) frames /= 2;
  return frames;
}

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Decoder final : public CodecDecoder {
 public:
  Decoder(const CodecConfig& config, HalfWeights front, HalfWeights wave, Codebooks codebooks, std::vector<Step> steps)
      : config_(config),
        front_(std::move(front)),
        wave_(std::move(wave)),
        codebooks_(std::move(codebooks)),
        steps_(std::move(steps)) {}

  void reset() override {
    for (Step& step : steps_) step.part->reset();
    num_frames_ = 0;
    times_ = {};
  }

  Status push(std::span<const int32_t> codes, std::vector<float>& out) override {
    KZ_RETURN_IF_ERROR(check(codes));
    const auto num_groups = static_cast<size_t>(config_.num_quantizers);
    while (!codes.empty()) {
      const int num_frames = chunk_frames(static_cast<int64_t>(codes.size() / num_groups));
      const size_t num_codes = static_cast<size_t>(num_frames) * num_groups;
      KZ_RETURN_IF_ERROR(decode(num_frames, codes.first(num_codes)));
      out.insert(out.end(), rows_.begin(), rows_.end());
      codes = codes.subspan(num_codes);
      num_frames_ += num_frames;
    }
    return ok();
  }

  CodecTimes times() const override { return times_; }
  void set_probe(StageProbe probe) override { probe_ = std::move(probe); }

 private:
  // Before anything is computed, so that a wrong code leaves the utterance as it was.
  Status check(std::span<const int32_t> codes) const {
    const auto num_groups = static_cast<size_t>(config_.num_quantizers);
    if (codes.size() % num_groups != 0) {
      return Error{ErrorCode::invalid_argument, "codec: expected " + std::to_string(num_groups) +
                                                    " codes for each frame, found " + std::to_string(codes.size()) +
                                                    " codes in all"};
    }
    const auto wrong =
        std::ranges::find_if(codes, [&](int32_t code) { return code < 0 || code >= config_.codebook_size; });
    if (wrong == codes.end()) return ok();
    const auto index = static_cast<size_t>(wrong - codes.begin());
    return Error{ErrorCode::invalid_argument,
                 "codec: frame " + std::to_string(num_frames_ + static_cast<int64_t>(index / num_groups)) +
                     ", code group " + std::to_string(index % num_groups) + ": expected a code in 0.." +
                     std::to_string(config_.codebook_size - 1) + ", found " + std::to_string(*wrong)};
  }

  // One chunk; leaves its samples in rows_.
  Status decode(int num_frames, std::span<const int32_t> codes) {
    const Clock::time_point start = Clock::now();
    codebooks_.sum_rows(codes, rows_);
    times_.quantizer_ms += milliseconds_since(start);
    for (Step& step : steps_) {
      const Clock::time_point step_start = Clock::now();
      KZ_RETURN_IF_ERROR(step.part->run(num_frames, rows_, next_rows_));
      std::swap(rows_, next_rows_);
      if (&step == &steps_.back())  // samples lie in [-1, 1]
        for (float& sample : rows_) sample = std::max(-1.0F, std::min(1.0F, sample));
      times_.*step.time += milliseconds_since(step_start);
      if (probe_) probe_(step.part->name(), rows_);
    }
    return ok();
  }

  CodecConfig config_;
  HalfWeights front_, wave_;  // outlive the steps, whose graphs point into them
  Codebooks codebooks_;
  std::vector<Step> steps_;
  int64_t num_frames_ = 0;  // since reset()
  CodecTimes times_;
  StageProbe probe_;
  std::vector<float> rows_, next_rows_;  // between two parts; members, so that a chunk allocates nothing
};

}  // namespace
}  // namespace codec

namespace codec {
namespace {

CodecLowering lowering_for(const Device& device, CodecLowering asked, const TensorSource& tensors) {
  if (asked != CodecLowering::automatic) return asked;
  if (device.is_cpu()) {
    const TensorInfo* conv_in = tensors.find("codec.wave.conv_in.weight");
    return conv_in && nn::suits_bf16(conv_in->dtype) ? CodecLowering::fused_bf16 : CodecLowering::fused;
  }
  return device.is_remote() ? CodecLowering::device : CodecLowering::portable;
}

}  // namespace
}  // namespace codec

Result<std::unique_ptr<CodecDecoder>> CodecDecoder::create(const CodecConfig& config,
                                                           std::shared_ptr<const TensorSource> tensors,
                                                           std::shared_ptr<Device> device, CodecLowering lowering,
                                                           std::shared_ptr<Device> wave_device) {
  using codec::Half;
  if (!wave_device) wave_device = device;
  KZ_TRY(codec::HalfWeights front,
         codec::load_half(Half::front, tensors, config, *device, codec::lowering_for(*device, lowering, *tensors)));
  KZ_TRY(codec::HalfWeights wave, codec::load_half(Half::wave, tensors, config, *wave_device,
                                                   codec::lowering_for(*wave_device, lowering, *tensors)));
  KZ_TRY(codec::Codebooks codebooks, codec::Codebooks::open(tensors, config));
  KZ_TRY(const codec::CodecWeights views, codec::codec_weights(front, wave, *tensors, config));
  const codec::HalfPlace front_place{device, front.lowering, front.rules.max_matmul_rows};
  const codec::HalfPlace wave_place{wave_device, wave.lowering, wave.rules.max_matmul_rows};
  KZ_TRY(auto steps,
         codec::make_steps(config, views, front_place, wave_place, codebooks.width(), codec::kMaxChunkFrames));
  std::unique_ptr<CodecDecoder> decoder = std::make_unique<codec::Decoder>(config, std::move(front), std::move(wave),
                                                                           std::move(codebooks), std::move(steps));
  return decoder;
}

}  // namespace kazeia
