// Every tensor of a model, as data: the engine's name and shape, how it may be stored, and how it is made from an
// official checkpoint. Loading, `convert`, `inspect` and random models all read this one list.
#pragma once
#include <string>
#include <vector>

#include "base/shape.h"
#include "formats/dtype.h"
#include "formats/model_config.h"

namespace kazeia {

// How a tensor may be stored.
enum class TensorRole {
  matrix,        // talker and code predictor weights [out, in]: any type
  table,         // embedding rows read one by one from the file: any type
  codec_matrix,  // codec weights [.., out, in]: f32, f16 or bf16
  exact,         // norms, biases, scales, snake parameters, RVQ codebooks and projections: always f32
};

bool dtype_allowed(TensorRole role, DType dtype);

// How a tensor is made from tensors of the official checkpoint.
enum class TensorRecipe {
  copy,         // as it is (a trailing kernel size of 1 is dropped)
  conv_taps,    // Conv1d [out, in, k] -> [k, out, in]: one matrix per tap, oldest input first
  depthwise,    // Conv1d [c, 1, k] -> [k, c]
  tconv_taps,   // ConvTranspose1d [in, out, m * s] -> [m, s * out, in]: a causal conv with m taps, oldest input first.
                // Row r * out + o gives channel o of output row s * T + r; its tap j is the kernel's (m - 1 - j) * s +
                // r.
  codebook,     // embedding_sum / max(cluster_usage, 1e-5); sources: embedding_sum, cluster_usage
  exponential,  // exp(x): snake alpha
  inv_beta,     // 1 / (exp(x) + 1e-9): snake beta
};

enum class CheckpointPart { model, speech_tokenizer };  // the checkpoint folder itself, or its speech_tokenizer/

struct OfficialTensor {
  std::string name;
  Shape shape;
};

struct TensorSpec {
  std::string name;  // ours, shorter than 64 bytes
  Shape shape;       // ours, row-major
  TensorRole role = TensorRole::matrix;
  TensorRecipe recipe = TensorRecipe::copy;
  CheckpointPart part = CheckpointPart::model;
  std::vector<OfficialTensor> sources = {};  // one, or two for `codebook`
};

// The whole list, in file order: talker, code predictor, codec.
std::vector<TensorSpec> tensor_manifest(const ModelConfig& config);

// The parts of it that one stage loads. A model with a single code group has no code predictor: an empty list.
std::vector<TensorSpec> talker_manifest(const ModelConfig& config);
std::vector<TensorSpec> code_predictor_manifest(const ModelConfig& config);
std::vector<TensorSpec> codec_manifest(const ModelConfig& config);

}  // namespace kazeia
