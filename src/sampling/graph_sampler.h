// The draw of Sampler as nodes of a graph, so that a device makes all codes of a frame in one call.
#pragma once
#include <string>

#include "compute/graph.h"
#include "compute/state.h"
#include "sampling/sampling.h"

namespace kazeia {

// What a device must have for it.
enum class DrawWay {
  by_index,    // top-k, argmax, step and rows by index
  by_one_hot,  // only sums, products, sigmoid and softmax; compares all pairs of scores for the top-k
};

// One drawn code.
struct GraphDraw {
  Tensor id;         // by index: i32 [1]
  Tensor one_hot;    // by one-hot: [1, V], 1 at the id
  Tensor countdown;  // [1, 1]: V - id, as float: what a host reads together with other floats
};

// Constants of all draws over a vocabulary, in the device's memory.
class GraphSampler {
 public:
  // Declares the constants; the State is to be allocated before set_options().
  GraphSampler(State& constants, int vocab_size, DrawWay way);

  // Which operation of draw() the device refuses, and why; empty: none.
  static std::string refusal(const Device& device, int vocab_size, DrawWay way);
  // Whether draw() can follow these options; top-p can't be followed, it needs a sorted sum.
  static bool follows(const SamplingDefaults& options) { return !options.do_sample || options.top_p >= 1.0F; }

  // The part of the options that shapes the graph: 0 if all ids take part.
  int top_k_of(const SamplingDefaults& options) const;
  // The other part.
  void set_options(const SamplingDefaults& options);

  // logits: [1, V]; noise: [1, V], from fill_noise(). Draws what Sampler::draw draws for the same scores, bit for bit:
  // equal scores are treated alike, whichever of them the device's own operations prefer. The scores must be finite;
  // by one-hot, differences below 1e-16 count as none.
  GraphDraw draw(Graph& g, Tensor logits, Tensor noise, int top_k) const;

  // noise: [V], gumbel(key, id) for each id; zeros if nothing is drawn by chance.
  static void fill_noise(const SamplingDefaults& options, const DrawKey& key, std::span<float> noise);

 private:
  int vocab_size_;
  DrawWay way_;
  Tensor temperature_;  // [1, V], all equal
  Tensor countdown_;    // [1, V]: V - id
};

}  // namespace kazeia
