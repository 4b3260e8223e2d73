#include "stages/codec/fused_wave.h"

#include <algorithm>

#include "nn/fused_block.h"

namespace kazeia::codec {
namespace {

class FusedPart final : public Part {
 public:
  FusedPart(std::string name, std::shared_ptr<Device> device, nn::FusedBlock::Spec spec)
      : name_(std::move(name)), device_(std::move(device)), block_(std::move(spec)) {}

  size_t buffer_floats(int num_frames) const { return block_.buffer_floats(num_frames); }
  void use(std::shared_ptr<const nn::FusedSpace> space) { space_ = std::move(space); }

  const std::string& name() const override { return name_; }

  Status run(int num_frames, std::span<const float> x, std::vector<float>& y) override {
    const int num_rows = block_.num_rows(num_frames);
    KZ_CHECK(x.size() == static_cast<size_t>(num_rows * block_.in_channels()));
    y.resize(static_cast<size_t>(num_rows * block_.rate() * block_.out_channels()));
    block_.run(device_->team(), *space_, x.data(), num_frames, y.data());
    return ok();
  }

  void reset() override { block_.reset(); }

 private:
  std::string name_;
  std::shared_ptr<Device> device_;
  nn::FusedBlock block_;
  std::shared_ptr<const nn::FusedSpace> space_;
};

nn::FusedBlock::Spec block_spec(const WaveBlockWeights& w, int frame_rows, int rate) {
  nn::FusedBlock::Spec spec{nn::FusedSnake::of(w.snake, 1), w.upsample.fused, frame_rows, rate, {}};
  for (size_t i = 0; i < w.units.size(); ++i) {
    const ResidualUnitWeights& unit = w.units[i];
    spec.units.push_back({nn::FusedSnake::of(unit.snake1, i == 0 ? rate : 1), unit.dilated.fused, kUnitDilations[i],
                          nn::FusedSnake::of(unit.snake2, 1), unit.pointwise.fused});
  }
  return spec;
}

}  // namespace

Result<std::vector<std::unique_ptr<Part>>> make_fused_wave(const CodecConfig& config, const CodecWeights& weights,
                                                           const std::shared_ptr<Device>& device,
                                                           int max_chunk_frames) {
  std::vector<std::unique_ptr<FusedPart>> fused;
  int frame_rows = 1;
  const auto add = [&](const std::string& name, nn::FusedBlock::Spec spec) {
    fused.push_back(std::make_unique<FusedPart>(name, device, std::move(spec)));
  };
  for (const int ratio : config.upsampling_ratios) frame_rows *= ratio;
  add("wave_conv", {{}, weights.wave_conv.fused, frame_rows, 1, {}});
  for (size_t i = 0; i < weights.wave_blocks.size(); ++i) {
    add("wave_block_" + std::to_string(i), block_spec(weights.wave_blocks[i], frame_rows, config.upsample_rates[i]));
    frame_rows *= config.upsample_rates[i];
  }
  const WaveOutputWeights& output = weights.wave_output;
  add("wave_output", {nn::FusedSnake::of(output.snake, 1), output.conv.fused, frame_rows, 1, {}});

  size_t buffer_floats = 0;
  for (const auto& part : fused) buffer_floats = std::max(buffer_floats, part->buffer_floats(max_chunk_frames));
  KZ_TRY(nn::FusedSpace allocated, nn::FusedSpace::allocate(buffer_floats));
  const auto space = std::make_shared<const nn::FusedSpace>(std::move(allocated));
  std::vector<std::unique_ptr<Part>> parts;
  for (auto& part : fused) {
    part->use(space);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace kazeia::codec
