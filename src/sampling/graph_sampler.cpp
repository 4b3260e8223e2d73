#include "sampling/graph_sampler.h"

#include <algorithm>

namespace kazeia {
namespace {

constexpr float kRemoved = -1e9F;  // added to a score

// Entry `index` (i32 [1]) of values [1, V]: [1, 1]
ggml_tensor* entry(ggml_context* ctx, ggml_tensor* values, ggml_tensor* index) {
  return ggml_get_rows(ctx, ggml_reshape_2d(ctx, values, 1, values->ne[0]), index);
}

// 1 where values [1, V] are below the threshold [1, 1], else 0.
ggml_tensor* below(ggml_context* ctx, ggml_tensor* values, ggml_tensor* threshold) {
  return ggml_step(ctx, ggml_neg(ctx, ggml_sub(ctx, values, threshold)));
}

// 1 for the ids that a top-k removes from scores [1, V]: those below the k-th highest.
ggml_tensor* removed_by_index(ggml_context* ctx, ggml_tensor* scores, int k) {
  ggml_tensor* highest = ggml_reshape_1d(ctx, ggml_top_k(ctx, scores, k), k);
  ggml_tensor* rows = ggml_get_rows(ctx, ggml_reshape_2d(ctx, scores, 1, scores->ne[0]), highest);
  ggml_tensor* values = ggml_reshape_2d(ctx, rows, k, 1);
  return below(ctx, scores, entry(ctx, values, ggml_argmax(ctx, ggml_neg(ctx, values))));
}

// 1 where x > 0, 0 where x <= 0: the sigmoid of something huge either way, of -80 for 0 (2e-35).
ggml_tensor* is_positive(ggml_context* ctx, ggml_tensor* x) {
  return ggml_sigmoid(ctx, ggml_scale_bias(ctx, x, 0x1p60F, -80.0F));
}

// The same as removed_by_index(): those that have k or more scores above them.
ggml_tensor* removed_by_pairs(ggml_context* ctx, ggml_tensor* scores, int k) {
  const int64_t count = scores->ne[0];
  ggml_tensor* all = ggml_repeat_4d(ctx, scores, count, count, 1, 1);
  ggml_tensor* above = is_positive(ctx, ggml_sub(ctx, all, ggml_reshape_2d(ctx, scores, 1, count)));
  ggml_tensor* num_above = ggml_reshape_2d(ctx, ggml_sum_rows(ctx, above), count, 1);
  constexpr float kSteep = 256.0F;
  return ggml_sigmoid(ctx, ggml_scale_bias(ctx, num_above, kSteep, -kSteep * (static_cast<float>(k) - 0.5F)));
}

// Of the ids that share the highest value the lowest one, which has the highest countdown.
GraphDraw highest_by_index(ggml_context* ctx, ggml_tensor* values, ggml_tensor* countdown) {
  ggml_tensor* lower = below(ctx, values, entry(ctx, values, ggml_argmax(ctx, values)));
  ggml_tensor* winners = ggml_scale_bias(ctx, lower, -1.0F, 1.0F);
  ggml_tensor* id = ggml_argmax(ctx, ggml_mul(ctx, winners, countdown));
  return {.id = {id}, .one_hot = {}, .countdown = {entry(ctx, countdown, id)}};
}

// The same as highest_by_index(). A softmax of values that lie far apart has equal shares at the highest ones and zeros
// elsewhere.
GraphDraw highest_by_softmax(ggml_context* ctx, ggml_tensor* values, ggml_tensor* countdown) {
  const auto softmax = [&](ggml_tensor* x, float scale) {
    return ggml_soft_max_ext(ctx, x, /*mask=*/nullptr, scale, /*max_bias=*/0.0F);
  };
  ggml_tensor* winners = is_positive(ctx, softmax(values, 0x1p40F));
  ggml_tensor* one_hot = softmax(ggml_mul(ctx, winners, countdown), 0x1p20F);
  ggml_tensor* left = ggml_sum_rows(ctx, ggml_mul(ctx, one_hot, countdown));
  return {.id = {}, .one_hot = {one_hot}, .countdown = {left}};
}

}  // namespace

GraphSampler::GraphSampler(State& constants, int vocab_size, DrawWay way)
    : vocab_size_(vocab_size),
      way_(way),
      temperature_(constants.add(DType::f32, {1, vocab_size})),
      countdown_(constants.add(DType::f32, {1, vocab_size})) {}

std::string GraphSampler::refusal(const Device& device, int vocab_size, DrawWay way) {
  State constants(/*max_tensors=*/2);
  const GraphSampler sampler(constants, vocab_size, way);
  Graph g(/*max_nodes=*/64);
  const Tensor logits = g.input("logits", DType::f32, {1, vocab_size});
  const Tensor noise = g.input("noise", DType::f32, {1, vocab_size});
  g.run_now(sampler.draw(g, logits, noise, std::min(50, vocab_size - 1)).countdown);
  for (int i = 0; i < ggml_graph_n_nodes(g.nodes()); ++i) {
    const ggml_tensor* node = ggml_graph_node(g.nodes(), i);
    const std::string reason = device.refusal(node);
    if (!reason.empty()) return device.name() + " refuses " + describe_node(node) + ": " + reason;
  }
  return "";
}

int GraphSampler::top_k_of(const SamplingDefaults& options) const {
  return options.do_sample && options.top_k < vocab_size_ ? options.top_k : 0;
}

void GraphSampler::set_options(const SamplingDefaults& options) {
  std::vector<float> values(static_cast<size_t>(vocab_size_), options.do_sample ? options.temperature : 1.0F);
  State::set(temperature_, std::span<const float>(values));
  for (int id = 0; id < vocab_size_; ++id) values[static_cast<size_t>(id)] = static_cast<float>(vocab_size_ - id);
  State::set(countdown_, std::span<const float>(values));
}

GraphDraw GraphSampler::draw(Graph& g, Tensor logits, Tensor noise, int top_k) const {
  ggml_context* ctx = g.context();
  const bool by_index = way_ == DrawWay::by_index;
  ggml_tensor* scores = ggml_div(ctx, logits.node, temperature_.node);
  ggml_tensor* noisy = ggml_add(ctx, scores, noise.node);
  if (top_k > 0) {  // keeps those that equal the k-th too
    ggml_tensor* removed = by_index ? removed_by_index(ctx, scores, top_k) : removed_by_pairs(ctx, scores, top_k);
    noisy = ggml_add(ctx, noisy, ggml_scale(ctx, removed, kRemoved));
  }
  return by_index ? highest_by_index(ctx, noisy, countdown_.node) : highest_by_softmax(ctx, noisy, countdown_.node);
}

void GraphSampler::fill_noise(const SamplingDefaults& options, const DrawKey& key, std::span<float> noise) {
  if (!options.do_sample) {
    std::ranges::fill(noise, 0.0F);
    return;
  }
  for (size_t id = 0; id < noise.size(); ++id) noise[id] = gumbel(key, static_cast<uint32_t>(id));
}

}  // namespace kazeia
