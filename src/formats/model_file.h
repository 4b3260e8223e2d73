// A model on disk, opened: config, tokenizer and weights, whatever the format.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"
#include "formats/tokenizer_data.h"

namespace kazeia {

struct ModelFile {
  ModelConfig config;
  TokenizerData tokenizer;
  std::shared_ptr<const TensorSource> tensors;  // every tensor of tensor_manifest(config), shapes checked
};

// path: a GGUF written by `kazeia convert`, or an official checkpoint folder.
Result<ModelFile> open_model(const std::string& path);

// A model with seeded random weights, for benchmarks and tests; they are computed whenever they are read. spec: SIZE or
// SIZE:TYPE, for instance "0.6b:q8_0", "1.7b:mixed", "tiny:f32"; sizes: random_model_config (formats/random_model.h).
// The tokenizer of a random model knows the 256 bytes and the template's tokens only.
Result<ModelFile> make_random_model(const std::string& spec, uint64_t seed);

}  // namespace kazeia
