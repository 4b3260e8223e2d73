// Layers as functions that add nodes to a Graph. Read this first: every layer has one meaning here.
//
// Activations are [T, C]: one row per time step, channels contiguous. A convolution's tap is then a row offset,
// dilation costs nothing, and the pixel shuffle of a transposed convolution is a reshape. Each output row depends on
// its inputs in a fixed order of operations, whatever T is: that is why streaming equals offline bit for bit.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "compute/graph.h"
#include "compute/state.h"
#include "compute/weights.h"
#include "formats/model_config.h"

namespace kazeia::nn {

// ---- basic layers (basic.cpp)

class FusedConv;

// A layer's matrix [out, in]: a tensor, or what the CPU's own kernels read instead of it (fused_conv.h).
struct Matrix {
  Matrix() = default;
  Matrix(Tensor stored) : weight(stored) {}
  Matrix(std::shared_ptr<const FusedConv> packed) : fused(std::move(packed)) {}

  Tensor weight;
  std::shared_ptr<const FusedConv> fused;
};

// x: [T, in], bias: [out] or empty -> [T, out]
Tensor linear(Graph& g, Tensor x, const Matrix& matrix, Tensor bias = {});
// x: [T, C] -> [1, C]
Tensor last_row(Graph& g, Tensor x);
Tensor add(Graph& g, Tensor a, Tensor b);
Tensor mul(Graph& g, Tensor a, Tensor b);
// Channels first .. first + count - 1 of x: [T, C] -> [T, count], a view.
Tensor channels_of(Graph& g, Tensor x, int64_t first, int64_t count);
// x / rms(x) * weight over the last dimension.  Qwen3TTSRMSNorm (modeling_qwen3_tts.py:596)
Tensor rms_norm(Graph& g, Tensor x, Tensor weight, float eps);
Tensor layer_norm(Graph& g, Tensor x, Tensor weight, Tensor bias, float eps);
Tensor silu(Graph& g, Tensor x);
// 0.5 x (1 + erf(x / sqrt 2)), the exact form.
Tensor gelu(Graph& g, Tensor x);
// silu(gate) * up
Tensor swiglu(Graph& g, Tensor gate, Tensor up);
// x + inv_beta * sin(alpha * x)^2, per channel.  SnakeBeta (modeling_qwen3_tts_tokenizer_v2.py)
enum class SnakeWay {
  sine,        // the operation SIN
  polynomial,  // for devices without it: within 1e-4 of the sine's square where |alpha * x| <= 100 (device_math.cpp)
};
struct SnakeWeights {
  Tensor alpha, inv_beta;  // [C]
  SnakeWay way = SnakeWay::sine;
};
Tensor snake(Graph& g, Tensor x, const SnakeWeights& w);

// ---- attention (attention.cpp, kv_cache.h)

// Keys and values of one layer, in a ring of `slots`; position p lives in slot p mod slots.
struct KvLayer {
  Tensor keys;    // [slots, kv_heads * D]
  Tensor values;  // [kv_heads * D, slots]: transposed, so that the weighted sum is a matmul
};

// What all layers of a stack share in one run; its tensors are inputs of the graph.
struct AttentionInputs {
  Tensor positions;    // i32 [T]: for RoPE
  Tensor key_slots;    // i64 [T]: where new keys go
  Tensor value_cells;  // i64 [kv_heads * D * T]: where each new value goes in the transposed cache
  Tensor mask;         // f32 [T, slots_in_use]: 0 where a query sees a slot, -inf elsewhere
};

struct AttentionWeights {
  Matrix q_proj, k_proj, v_proj, o_proj;
  Tensor q_norm, k_norm;  // [D]; empty in the codec
};

// x: [T, H] -> [T, H]; writes the new keys and values into `cache`, then attends over its first slots_in_use slots.
Tensor attention(Graph& g, Tensor x, const AttentionWeights& w, const LayerStackConfig& config,
                 const AttentionInputs& in, const KvLayer& cache);

// ---- the one Qwen3 layer (decoder_layer.cpp): talker, code predictor, the codec's pre-transformer

struct DecoderLayerWeights {
  Tensor input_norm, post_attention_norm;
  AttentionWeights attention;
  Matrix gate_proj, up_proj, down_proj;
  Tensor attention_scale, mlp_scale;  // [H]; only in the codec (LayerScale)
};

// Names of the layer's tensors under `prefix` ("talker.layers.3."): all required ones, and the optional ones that the
// source has (q_norm, k_norm, the scales).
std::vector<std::string> decoder_layer_names(const TensorSource& source, const std::string& prefix);
DecoderLayerWeights decoder_layer_weights(const Weights& weights, const std::string& prefix);
// The same with matrices from elsewhere. name: with the prefix, as "talker.layers.3.q_proj.weight".
using FindMatrix = std::function<Result<Matrix>(const std::string& name)>;
Result<DecoderLayerWeights> decoder_layer_weights(const Weights& weights, const std::string& prefix,
                                                  const FindMatrix& find_matrix);

// x: [T, H] -> [T, H].  Qwen3TTSTalkerDecoderLayer, Qwen3TTSDecoderLayer, Qwen3TTSTokenizerV2DecoderTransformerLayer
Tensor decoder_layer(Graph& g, Tensor x, const DecoderLayerWeights& w, const LayerStackConfig& config,
                     const AttentionInputs& in, const KvLayer& cache);

}  // namespace kazeia::nn
