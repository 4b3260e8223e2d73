// Attention over the ring of keys and values means what the official attention means, however the rows are split.
// links: kazeia_nn
#include <gtest/gtest.h>

#include "compute/plan.h"
#include "nn/kv_cache.h"
#include "reference/layers.h"
#include "support/memory_source.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

using reference::Signal;
using test::random_values;

constexpr int64_t kRows = 41;
constexpr int kMaxChunk = 8;

struct Case {
  const char* name;
  int num_heads, num_kv_heads, window;
  bool with_norms;  // of queries and keys
};

class NnAttention : public testing::TestWithParam<Case> {
 protected:
  NnAttention() {
    const Case& c = GetParam();
    config_ = {.hidden_size = 24,
               .intermediate_size = 1,
               .num_layers = 1,
               .num_heads = c.num_heads,
               .num_kv_heads = c.num_kv_heads,
               .head_size = 8,
               .rms_norm_eps = 1e-5F,
               .rope_theta = 1e4F};
    add("q_proj", c.num_heads * 8, 24, 0.4F);
    add("k_proj", c.num_kv_heads * 8, 24, 0.4F);
    add("v_proj", c.num_kv_heads * 8, 24, 0.4F);
    add("o_proj", 24, c.num_heads * 8, 0.2F);
    add("q_norm", 1, 8, 1.0F);
    add("k_norm", 1, 8, 1.0F);
    x_ = random_values(kRows * 24, 1.0F, random_);
  }

  void add(const std::string& name, int64_t out, int64_t in, float scale) {
    values_[name] = random_values(out * in, scale, random_);
    source_->add(name, out == 1 ? Shape{in} : Shape{out, in}, values_[name]);
  }

  // Heads are rows of their own for the norms.
  Signal normalised(Signal x, const std::string& norm) const {
    Signal heads(x.rows * x.channels / 8, 8);
    heads.values = x.values;
    x.values = reference::rms_norm(heads, values_.at(norm), 1e-5).values;
    return x;
  }

  Signal expected() const {
    const Case& c = GetParam();
    const Signal x(kRows, 24, x_);
    Signal q = reference::linear(x, values_.at("q_proj"), {}), k = reference::linear(x, values_.at("k_proj"), {});
    if (c.with_norms) q = normalised(q, "q_norm"), k = normalised(k, "k_norm");
    const reference::AttentionShape shape{.num_heads = c.num_heads,
                                          .num_kv_heads = c.num_kv_heads,
                                          .head_size = 8,
                                          .rope_theta = 1e4,
                                          .window = c.window};
    const Signal mixed = reference::attention(q, k, reference::linear(x, values_.at("v_proj"), {}), shape);
    return reference::linear(mixed, values_.at("o_proj"), {});
  }

  int num_slots() const { return GetParam().window > 0 ? GetParam().window - 1 + kMaxChunk : static_cast<int>(kRows); }

  // The attention's rows for positions [0, kRows), computed in chunks of `chunk` rows.
  std::vector<float> run(nn::KvCache& cache, int64_t chunk) {
    const Weights weights = *Weights::load(source_, *device_, source_->names());
    nn::AttentionWeights w{
        weights.get("q_proj"), weights.get("k_proj"), weights.get("v_proj"), weights.get("o_proj"), {}, {}};
    if (GetParam().with_norms) w.q_norm = weights.get("q_norm"), w.k_norm = weights.get("k_norm");
    std::vector<float> all;
    for (int64_t first = 0; first < kRows; first += chunk) {
      const int64_t num_rows = std::min(chunk, kRows - first);
      Graph g(256);
      const Tensor x = g.input("x", DType::f32, {num_rows, 24});
      const nn::AttentionInputs in = cache.inputs(g, static_cast<int>(num_rows), cache.num_slots());
      const Tensor y = g.output("y", nn::attention(g, x, w, config_, in, cache.layer(0)));
      Plan plan = *Plan::create(device_, std::move(g));
      plan.set(x,
               std::span<const float>(x_).subspan(static_cast<size_t>(first * 24), static_cast<size_t>(num_rows * 24)));
      cache.set_inputs(plan, in, first);
      EXPECT_TRUE(plan.run());
      std::vector<float> rows(static_cast<size_t>(num_rows * 24));
      plan.get(y, rows);
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }

  std::mt19937 random_{2};
  std::shared_ptr<Device> device_ = *Device::cpu(1);
  std::shared_ptr<test::MemorySource> source_ = std::make_shared<test::MemorySource>();
  std::map<std::string, std::vector<float>> values_;
  LayerStackConfig config_;
  std::vector<float> x_;
};

TEST_P(NnAttention, MeansWhatTheOfficialModuleMeans) {
  nn::KvCache cache = *nn::KvCache::create(device_, config_, DType::f32, num_slots(), GetParam().window);
  const std::vector<float> y = run(cache, kMaxChunk);
  const Signal reference = expected();
  ASSERT_EQ(y.size(), reference.values.size());
  // f32 through three matmuls, a softmax and ggml's RoPE, which multiplies angles up step by step.
  for (size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], reference.values[i], 5e-6) << i;
}

TEST_P(NnAttention, ChunksMakeNoDifferenceToASingleBit) {
  nn::KvCache cache = *nn::KvCache::create(device_, config_, DType::f32, num_slots(), GetParam().window);
  const std::vector<float> whole = run(cache, kMaxChunk);
  for (const int64_t chunk : {1, 2, 5}) {
    SCOPED_TRACE(chunk);
    cache.clear();
    EXPECT_EQ(run(cache, chunk), whole);
    // What an earlier utterance left in the ring is masked, not only cleared.
    EXPECT_EQ(run(cache, chunk), whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NnAttention,
                         testing::Values(Case{"codec", 4, 4, 6, false}, Case{"window_of_one", 4, 2, 1, false},
                                         Case{"window_beyond_the_rows", 4, 2, 64, false},
                                         Case{"talker", 4, 2, 0, true}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kazeia
