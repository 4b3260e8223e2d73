#include "sampling/graph_sampler.h"

#include <algorithm>

namespace kazeia {
namespace {

// Entry `index` (i32 [1]) of values [1, V]: [1, 1]
ggml_tensor* entry(ggml_context* ctx, ggml_tensor* values, ggml_tensor* index) {
  return ggml_get_rows(ctx, ggml_reshape_2d(ctx, values, 1, values->ne[0]), index);
}

// 1 where values [1, V] are below the threshold [1, 1], else 0.
ggml_tensor* below(ggml_context* ctx, ggml_tensor* values, ggml_tensor* threshold) {
  return ggml_step(ctx, ggml_neg(ctx, ggml_sub(ctx, values, threshold)));
}

// The k-th highest of scores [1, V]: [1, 1]
ggml_tensor* kth_highest(ggml_context* ctx, ggml_tensor* scores, int k) {
  ggml_tensor* highest = ggml_top_k(ctx, scores, k);
  ggml_tensor* values = ggml_reshape_2d(
      ctx, ggml_get_rows(ctx, ggml_reshape_2d(ctx, scores, 1, scores->ne[0]), ggml_reshape_1d(ctx, highest, k)), k, 1);
  return entry(ctx, values, ggml_argmax(ctx, ggml_neg(ctx, values)));
}

}  // namespace

GraphSampler::GraphSampler(State& constants, int vocab_size)
    : vocab_size_(vocab_size),
      temperature_(constants.add(DType::f32, {1, vocab_size})),
      countdown_(constants.add(DType::f32, {1, vocab_size})) {}

int GraphSampler::top_k_of(const SamplingDefaults& options) const {
  return options.do_sample && options.top_k < vocab_size_ ? options.top_k : 0;
}

void GraphSampler::set_options(const SamplingDefaults& options) {
  std::vector<float> values(static_cast<size_t>(vocab_size_), options.do_sample ? options.temperature : 1.0F);
  State::set(temperature_, std::span<const float>(values));
  for (int id = 0; id < vocab_size_; ++id) values[static_cast<size_t>(id)] = static_cast<float>(vocab_size_ - id);
  State::set(countdown_, std::span<const float>(values));
}

Tensor GraphSampler::draw(Graph& g, Tensor logits, Tensor noise, int top_k) const {
  ggml_context* ctx = g.context();
  constexpr float kRemoved = -1e30F;
  ggml_tensor* scores = ggml_div(ctx, logits.node, temperature_.node);
  ggml_tensor* noisy = ggml_add(ctx, scores, noise.node);
  if (top_k > 0) {  // keeps those that equal the k-th too
    ggml_tensor* removed = below(ctx, scores, kth_highest(ctx, scores, top_k));
    noisy = ggml_add(ctx, noisy, ggml_scale(ctx, removed, kRemoved));
  }
  // The lowest id of those that have the highest value: the one with the highest countdown.
  ggml_tensor* lower = below(ctx, noisy, entry(ctx, noisy, ggml_argmax(ctx, noisy)));
  ggml_tensor* winners = ggml_scale_bias(ctx, lower, -1.0F, 1.0F);
  return {ggml_argmax(ctx, ggml_mul(ctx, winners, countdown_.node))};
}

Tensor GraphSampler::countdown_of(Graph& g, Tensor id) const { return {entry(g.context(), countdown_.node, id.node)}; }

void GraphSampler::fill_noise(const SamplingDefaults& options, const DrawKey& key, std::span<float> noise) {
  if (!options.do_sample) {
    std::ranges::fill(noise, 0.0F);
    return;
  }
  for (size_t id = 0; id < noise.size(); ++id) noise[id] = gumbel(key, static_cast<uint32_t>(id));
}

}  // namespace kazeia
