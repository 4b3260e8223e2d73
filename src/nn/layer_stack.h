// A whole Qwen3 stack with its cache and its heads: what the talker and the code predictor both are.
//
// One meaning, several lowerings: graph_stack.cpp builds ggml graphs for any device and type of weights, and is the
// oracle of the others; cpu_stack.cpp fuses quantised layers into few passes over the weights.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "compute/device.h"
#include "formats/model_config.h"
#include "formats/tensor_source.h"

namespace kazeia::nn {

struct StackSpec {
  LayerStackConfig config;
  int input_width = 0;             // of the rows that run() takes
  std::string prefix;              // "talker.": layers.N.* and norm.weight lie under it
  std::string input_proj;          // weight and bias that take input_width to hidden_size; empty if they are equal
  std::vector<std::string> heads;  // full names of the matrices [vocab, hidden]
  int max_positions = 0;           // a fixed number of cache slots; 0: the cache grows as needed
};

// Not thread-safe.
class LayerStack {
 public:
  virtual ~LayerStack() = default;

  // Forgets all positions.
  void reset() { keep(0); }
  // Forgets all but the first num_positions; returns how many are left. That may be none: a stack keeps positions only
  // if their values don't depend on the batches in which rows came.
  virtual int keep(int num_positions) = 0;

  // Feeds rows [M, input_width] at the next M positions. hidden: [H], the last row after the final norm; logits:
  // [vocab], what head number `head` says of it.
  virtual Status run(std::span<const float> rows, int head, std::span<float> hidden, std::span<float> logits) = 0;

  // A run of several rows asks it before each batch of them (the fused kernels before each layer too) and gives up with
  // ErrorCode::cancelled. Only reset() is of use after that.
  virtual void set_stop(std::stop_token stop) = 0;

  // Called after each run with every layer's output [M, H], then the final norm's; for comparing with the official
  // code.
  using LayerProbe = std::function<void(int layer, std::span<const float> values)>;
  virtual void set_probe(LayerProbe probe) = 0;
};

// The CPU's fused kernels where the weights are quantised, graphs everywhere else.
Result<std::unique_ptr<LayerStack>> create_stack(const StackSpec& spec, std::shared_ptr<const TensorSource> source,
                                                 std::shared_ptr<Device> device);

Result<std::unique_ptr<LayerStack>> create_graph_stack(const StackSpec& spec,
                                                       std::shared_ptr<const TensorSource> source,
                                                       std::shared_ptr<Device> device);

// What a run that a stop has ended answers.
Error stopped_early(const StackSpec& spec);

// The same over weights that others use too.
class StackWeights;
Result<std::unique_ptr<LayerStack>> create_graph_stack(const StackSpec& spec,
                                                       std::shared_ptr<const StackWeights> weights,
                                                       std::shared_ptr<Device> device);

// Whether the fused kernels can take the stack: q8_0 or q4_0 matrices with rows and heads in whole groups.
bool cpu_stack_fits(const StackSpec& spec, const TensorSource& source);
Result<std::unique_ptr<LayerStack>> create_cpu_stack(const StackSpec& spec, const TensorSource& source,
                                                     std::shared_ptr<Device> device);

}  // namespace kazeia::nn
