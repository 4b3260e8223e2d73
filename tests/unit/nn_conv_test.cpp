// The convolutions mean what the official modules mean, and chunks make no difference to a single bit.
// links: kazeia_nn
#include "nn/conv.h"

#include <gtest/gtest.h>

#include <functional>

#include "compute/plan.h"
#include "nn/fused_ops.h"
#include "reference/layers.h"
#include "reference/layouts.h"
#include "support/memory_source.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

using reference::Signal;
using test::random_values;
using Layer = std::function<Tensor(Graph&, Tensor x, const Weights&, nn::StreamState&)>;

// Runs a layer over x: [T, channels], chunk by chunk.
std::vector<float> run(const Layer& layer, const Weights& weights, const std::shared_ptr<Device>& device,
                       const std::vector<float>& x, int64_t channels, const std::vector<int64_t>& chunks) {
  nn::StreamState past;
  std::vector<float> all;
  std::span<const float> left = x;
  for (const int64_t num_rows : chunks) {
    Graph g(256);
    past.begin_graph();
    const Tensor input = g.input("x", DType::f32, {num_rows, channels});
    const Tensor output = g.output("y", layer(g, input, weights, past));
    EXPECT_TRUE(past.allocate(*device));
    Plan plan = *Plan::create(device, std::move(g));
    plan.set(input, left.first(static_cast<size_t>(num_rows * channels)));
    EXPECT_TRUE(plan.run());
    std::vector<float> y(static_cast<size_t>(output.rows() * output.channels()));
    plan.get(output, y);
    all.insert(all.end(), y.begin(), y.end());
    left = left.subspan(static_cast<size_t>(num_rows * channels));
  }
  EXPECT_TRUE(left.empty());
  return all;
}

class NnConv : public testing::Test {
 protected:
  static constexpr int64_t kRows = 37;

  // Single rows, chunks shorter and longer than every left context, and everything at once.
  void expect_meaning(const Layer& layer, int64_t channels, const std::vector<float>& x, const Signal& expected) {
    std::vector<std::string> names = source_->names();
    const Weights weights = *Weights::load(source_, *device_, names);
    const std::vector<float> whole = run(layer, weights, device_, x, channels, {kRows});
    ASSERT_EQ(whole.size(), expected.values.size());
    // f32 sums of at most 7 * 19 products of numbers below 1.
    for (size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], expected.values[i], 2e-6) << i;
    EXPECT_EQ(run(layer, weights, device_, x, channels, std::vector<int64_t>(kRows, 1)), whole);
    EXPECT_EQ(run(layer, weights, device_, x, channels, {3, 8, 1, 25}), whole);
  }

  void add_conv(const std::vector<float>& weight, const std::vector<float>& bias, int64_t in, int64_t taps) {
    const auto out = static_cast<int64_t>(bias.size());
    source_->add("weight", {taps, out, in}, reference::conv_taps(weight, out, in, taps));
    source_->add("bias", {out}, bias);
  }

  std::mt19937 random_{1};
  std::shared_ptr<test::MemorySource> source_ = std::make_shared<test::MemorySource>();
  std::shared_ptr<Device> device_ = *Device::cpu(1);
};

nn::ConvWeights conv_weights(const Weights& w) { return {w.get("weight"), w.get("bias"), nullptr}; }

TEST_F(NnConv, ACausalConvSeesOnlyTheRowsBeforeAndItself) {
  constexpr int64_t kIn = 19, kOut = 10;
  for (const auto& [taps, dilation] : {std::pair<int64_t, int>{1, 1}, {3, 1}, {7, 1}, {7, 3}, {7, 9}}) {
    SCOPED_TRACE("taps " + std::to_string(taps) + " dilation " + std::to_string(dilation));
    const std::vector<float> x = random_values(kRows * kIn, 1.0F, random_);
    const std::vector<float> weight = random_values(kOut * kIn * taps, 0.1F, random_);
    const std::vector<float> bias = random_values(kOut, 1.0F, random_);
    add_conv(weight, bias, kIn, taps);
    const auto layer = [dilation = dilation](Graph& g, Tensor in, const Weights& w, nn::StreamState& past) {
      return nn::causal_conv(g, in, conv_weights(w), dilation, past);
    };
    expect_meaning(layer, kIn, x, reference::causal_conv(Signal(kRows, kIn, x), weight, bias, taps, dilation));
  }
}

TEST_F(NnConv, ADepthwiseConvKeepsChannelsApart) {
  constexpr int64_t kChannels = 19, kTaps = 7;
  const std::vector<float> x = random_values(kRows * kChannels, 1.0F, random_);
  const std::vector<float> weight = random_values(kChannels * kTaps, 0.4F, random_);
  const std::vector<float> bias = random_values(kChannels, 1.0F, random_);
  source_->add("weight", {kTaps, kChannels}, reference::conv_taps(weight, kChannels, 1, kTaps));
  source_->add("bias", {kChannels}, bias);
  const Signal expected = reference::causal_depthwise_conv(Signal(kRows, kChannels, x), weight, bias, kTaps);
  for (const bool fused : {false, true}) {
    SCOPED_TRACE(fused ? "fused" : "portable");
    const auto layer = [fused](Graph& g, Tensor in, const Weights& w, nn::StreamState& past) {
      return nn::causal_depthwise_conv(g, in, {w.get("weight"), w.get("bias"), fused}, past);
    };
    expect_meaning(layer, kChannels, x, expected);
  }
}

TEST_F(NnConv, AGeluOfTheCpusKernelsIsTheExactOne) {
  constexpr int64_t kChannels = 21;
  Signal x(kRows, kChannels, random_values(kRows * kChannels, 4.0F, random_));
  const auto layer = [](Graph& g, Tensor in, const Weights&, nn::StreamState&) { return nn::fused_gelu(g, in); };
  Signal expected = x;
  for (double& value : expected.values) value = reference::gelu(value);
  expect_meaning(layer, kChannels, std::vector<float>(x.values.begin(), x.values.end()), expected);
}

TEST_F(NnConv, ATransposedConvIsAConvOfWiderRows) {
  constexpr int64_t kIn = 19, kOut = 6;
  for (const auto& [stride, taps] : {std::pair<int64_t, int64_t>{2, 1}, {8, 2}, {5, 2}, {3, 2}, {2, 3}, {1, 2}}) {
    SCOPED_TRACE("stride " + std::to_string(stride) + " taps " + std::to_string(taps));
    const std::vector<float> x = random_values(kRows * kIn, 1.0F, random_);
    const std::vector<float> weight = random_values(kIn * kOut * taps * stride, 0.2F, random_);
    const std::vector<float> bias = random_values(kOut, 1.0F, random_);
    const std::vector<float> ours = reference::transposed_conv_taps(weight, kOut, kIn, stride, taps);
    source_->add("weight", {taps, stride * kOut, kIn}, ours);
    source_->add("bias", {kOut}, bias);
    const auto layer = [stride](Graph& g, Tensor in, const Weights& w, nn::StreamState& past) {
      return nn::causal_transposed_conv(g, in, conv_weights(w), static_cast<int>(stride), past);
    };
    expect_meaning(layer, kIn, x,
                   reference::causal_transposed_conv(Signal(kRows, kIn, x), weight, bias, taps * stride, stride));
  }
}

TEST_F(NnConv, TwoLayersOfOneGraphKeepTheirContextsApart) {
  constexpr int64_t kChannels = 12, kTaps = 3;
  const std::vector<float> x = random_values(kRows * kChannels, 1.0F, random_);
  const std::vector<float> weight = random_values(kChannels * kChannels * kTaps, 0.15F, random_);
  const std::vector<float> bias = random_values(kChannels, 0.3F, random_);
  add_conv(weight, bias, kChannels, kTaps);
  const auto layer = [](Graph& g, Tensor in, const Weights& w, nn::StreamState& past) {
    return nn::causal_conv(g, nn::causal_conv(g, in, conv_weights(w), 1, past), conv_weights(w), 4, past);
  };
  const Signal once = reference::causal_conv(Signal(kRows, kChannels, x), weight, bias, kTaps, 1);
  expect_meaning(layer, kChannels, x, reference::causal_conv(once, weight, bias, kTaps, 4));
}

TEST_F(NnConv, ClearStartsANewUtterance) {
  constexpr int64_t kChannels = 4;
  const std::vector<float> x = random_values(2 * kChannels, 1.0F, random_);
  source_->add("weight", {3, kChannels}, random_values(3 * kChannels, 1.0F, random_));
  source_->add("bias", {kChannels}, random_values(kChannels, 1.0F, random_));
  const Weights weights = *Weights::load(source_, *device_, source_->names());
  nn::StreamState past;
  Graph g(64);
  const Tensor input = g.input("x", DType::f32, {2, kChannels});
  const Tensor output =
      g.output("y", nn::causal_depthwise_conv(g, input, {weights.get("weight"), weights.get("bias")}, past));
  ASSERT_TRUE(past.allocate(*device_));
  Plan plan = *Plan::create(device_, std::move(g));
  const auto run_once = [&] {
    plan.set(input, x);
    EXPECT_TRUE(plan.run());
    std::vector<float> y(x.size());
    plan.get(output, y);
    return y;
  };
  const std::vector<float> first = run_once();
  EXPECT_NE(run_once(), first);
  past.clear();
  EXPECT_EQ(run_once(), first);
}

}  // namespace
}  // namespace kazeia
