// Which device each part of a model runs on, from one string: "talker=cpu code_predictor=HTP0 codec=HTP0:strict".
#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compute/device.h"

namespace kazeia {

// codec_wave, the codec's wave decoder, has most of the codec's work; it is where codec is unless it is placed itself.
enum class ModelPart { talker, code_predictor, codec, codec_wave };
inline constexpr std::array kModelParts = {ModelPart::talker, ModelPart::code_predictor, ModelPart::codec,
                                           ModelPart::codec_wave};
// As the string names it: "codec.wave".
const char* part_name(ModelPart part);

// A backend that the embedder lends: see Device::borrow.
struct LentBackend {
  std::string name;
  ggml_backend* backend = nullptr;
};

// Why a part is not where it was asked to be.
struct PartMove {
  ModelPart part;
  std::string from;    // the device's name
  std::string reason;  // of the move to the CPU
};

struct Placement {
  std::shared_ptr<Device> talker, code_predictor, codec;
  std::shared_ptr<Device> codec_wave;  // null: with codec
  std::shared_ptr<Device> cpu;         // where parts go that can't stay where they are
  std::vector<PartMove> moves;

  // spec: words PART=DEVICE[:strict][:weights], the last word for a part counts; parts not named run on the CPU.
  //   PART: talker, code_predictor, codec, codec.wave, or all for the first three
  //   DEVICE: cpu, a lent backend, a device of ggml, or a simulated one; a name of device:NAME=DEVICE, another word
  //   strict: the part runs there wholly, or loading fails; else refused nodes, or the whole part, go to the CPU
  //   weights: the weights lie in the device's memory, the CPU computes with them there
  // An unknown word, part or device is an Error that lists the known ones: nothing is ignored.
  static Result<Placement> parse(const std::string& spec, int num_threads, std::span<const LentBackend> lent = {});

  // Null for a codec_wave that is with the codec.
  const std::shared_ptr<Device>& device(ModelPart part) const { return const_cast<Placement*>(this)->slot(part); }
  // Whether the part, or for codec_wave the codec with it, is wholly on the CPU.
  bool is_on_cpu(ModelPart part) const;
  // To the CPU, and notes why.
  void move_to_cpu(ModelPart part, const std::string& reason);

 private:
  std::shared_ptr<Device>& slot(ModelPart part);
};

}  // namespace kazeia
