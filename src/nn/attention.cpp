#include <cmath>

#include "nn/nn.h"

namespace kazeia::nn {
namespace {

// x: [T, heads * D] -> [T, heads, D], normalised per head and rotated.
// Talker positions are equal in all three sections of the multimodal RoPE, which is then the plain one that rotates
// halves (apply_multimodal_rotary_pos_emb, modeling_qwen3_tts.py:665).
Tensor heads_with_rope(Graph& g, Tensor x, Tensor norm, int num_heads, const LayerStackConfig& config,
                       Tensor positions) {
  ggml_context* ctx = g.context();
  Tensor heads{ggml_reshape_3d(ctx, x.node, config.head_size, num_heads, x.rows())};
  if (norm) heads = rms_norm(g, heads, norm, config.rms_norm_eps);
  return {ggml_rope_ext(ctx, heads.node, positions.node, /*freq_factors=*/nullptr, config.head_size,
                        GGML_ROPE_TYPE_NEOX,
                        /*n_ctx_orig=*/0, config.rope_theta, /*freq_scale=*/1.0F, /*ext_factor=*/0.0F,
                        /*attn_factor=*/1.0F, /*beta_fast=*/0.0F, /*beta_slow=*/0.0F)};
}

// Stores keys [T, kv_heads, D] and values [T, kv_heads * D] into the ring; must run before the cache is read.
void store(Graph& g, Tensor keys, Tensor values, const AttentionInputs& in, const KvLayer& cache) {
  ggml_context* ctx = g.context();
  const int64_t num_rows = keys.node->ne[2];
  const int64_t width = cache.keys.channels();
  ggml_tensor* key_rows = ggml_reshape_2d(ctx, keys.node, width, num_rows);
  g.run_now({ggml_set_rows(ctx, cache.keys.node, key_rows, in.key_slots.node)});
  ggml_tensor* cells = ggml_reshape_2d(ctx, cache.values.node, 1, ggml_nelements(cache.values.node));
  ggml_tensor* new_cells = ggml_reshape_2d(ctx, values.node, 1, width * num_rows);
  g.run_now({ggml_set_rows(ctx, cells, new_cells, in.value_cells.node)});
}

}  // namespace

Tensor attention(Graph& g, Tensor x, const AttentionWeights& w, const LayerStackConfig& config,
                 const AttentionInputs& in, const KvLayer& cache) {
  ggml_context* ctx = g.context();
  const int64_t num_rows = x.rows();
  const int64_t head_size = config.head_size;
  const Tensor q = heads_with_rope(g, linear(g, x, w.q_proj), w.q_norm, config.num_heads, config, in.positions);
  const Tensor k = heads_with_rope(g, linear(g, x, w.k_proj), w.k_norm, config.num_kv_heads, config, in.positions);
  store(g, k, linear(g, x, w.v_proj), in, cache);

  // Views of the slots in use; every query head of a group reads the same key head.
  const int64_t slots = in.mask.channels();
  ggml_tensor* keys = ggml_view_3d(ctx, cache.keys.node, head_size, slots, config.num_kv_heads, cache.keys.node->nb[1],
                                   ggml_row_size(cache.keys.node->type, head_size), 0);
  ggml_tensor* values =
      ggml_view_3d(ctx, cache.values.node, slots, head_size, config.num_kv_heads, cache.values.node->nb[1],
                   cache.values.node->nb[1] * static_cast<size_t>(head_size), 0);
  ggml_tensor* queries = ggml_permute(ctx, q.node, 0, 2, 1, 3);  // [heads, T, D]
  ggml_tensor* scores = ggml_mul_mat(ctx, keys, queries);        // [heads, T, slots]
  const float scale = 1.0F / std::sqrt(static_cast<float>(head_size));
  scores = ggml_soft_max_ext(ctx, scores, in.mask.node, scale, /*max_bias=*/0.0F);
  ggml_tensor* mixed = ggml_mul_mat(ctx, values, scores);        // [heads, T, D]
  mixed = ggml_cont(ctx, ggml_permute(ctx, mixed, 0, 2, 1, 3));  // [T, heads, D]
  return linear(g, {ggml_reshape_2d(ctx, mixed, head_size * config.num_heads, num_rows)}, w.o_proj);
}

}  // namespace kazeia::nn
