// The weights of an official checkpoint folder under our names and layouts.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia {

// Every tensor of the manifest must be there with the official shape in f32, f16 or bf16; it keeps that type unless its
// role is `exact`, which is f32. Tensors that the engine doesn't use (encoder, speaker encoder) are ignored. Errors
// name the file, the tensor and, for a missing one, the most similar name that the file has.
Result<std::shared_ptr<const TensorSource>> open_checkpoint_tensors(const std::string& folder,
                                                                    const ModelConfig& config);

}  // namespace kazeia
