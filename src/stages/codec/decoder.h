// Frames -> samples: the 12 Hz codec's decoder, written once for streaming and offline.
// Source: Qwen3TTSTokenizerV2Decoder (modeling_qwen3_tts_tokenizer_v2.py).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "flow/codes.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia {

// Milliseconds since the last reset().
struct CodecTimes {
  double quantizer_ms = 0, pre_conv_ms = 0, pre_transformer_ms = 0, upsample_ms = 0, wave_ms = 0;
};

// How the layers become graph nodes: one decoder, and for each kind of layer a way that suits the hardware.
enum class CodecLowering {
  automatic,  // on the CPU `fused_bf16` where its kernels have dot products of bf16 pairs and the wave decoder's
              // weights are stored in 16 bits, else `fused`; `device` on a device; `portable` where the CPU computes in
              // a device's memory
  portable,   // ggml operations in the most readable way: the oracle of the others
  device,     // operations that accelerators have, within the device's limits, in one graph for all layers
  fused,      // the CPU's own kernels
  fused_bf16,  // the same; weights and inputs of the wave decoder's convolutions are rounded to bf16
};

// Not thread-safe. Memory does not grow with the number of frames, and the result is that of the official forward()
// over all frames at once, without the seams of its chunked_decode().
class CodecDecoder {
 public:
  // wave_device: of the wave decoder, which is most of the work; null: the same.
  static Result<std::unique_ptr<CodecDecoder>> create(const CodecConfig& config,
                                                      std::shared_ptr<const TensorSource> tensors,
                                                      std::shared_ptr<Device> device,
                                                      CodecLowering lowering = CodecLowering::automatic,
                                                      std::shared_ptr<Device> wave_device = nullptr);
  virtual ~CodecDecoder() = default;

  // Start of a new utterance: forgets all left context.
  virtual void reset() = 0;

  // codes: [frames, num_quantizers], each in [0, codebook_size) (else an Error). Appends frames * samples_per_frame
  // samples to `out`. How the frames are split over calls does not change the samples.
  virtual Status push(std::span<const int32_t> codes, std::vector<float>& out) = 0;

  virtual CodecTimes times() const = 0;

  // Called after each part of each chunk with the part's name and its new rows [T, C]; for comparing with the official
  // code. Names in order: quantized, pre_conv, pre_transformer, upsample_0.., wave_conv, wave_block_0.., wave_output.
  // In the `device` lowering only the last of those that one graph computes.
  using StageProbe = std::function<void(const std::string& stage, std::span<const float> values)>;
  // Null: none.
  virtual void set_probe(StageProbe probe) = 0;
};

}  // namespace kazeia
