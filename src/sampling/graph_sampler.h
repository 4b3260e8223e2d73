// The draw of Sampler as nodes of a graph, so that a device makes all codes of a frame in one call.
#pragma once
#include "compute/graph.h"
#include "compute/state.h"
#include "sampling/sampling.h"

namespace kazeia {

// Constants of all draws over a vocabulary, in the device's memory.
class GraphSampler {
 public:
  // Declares the constants; the State is to be allocated before set_temperature().
  GraphSampler(State& constants, int vocab_size);

  // Whether draw() can follow these options; top-p can't be followed, it needs a sorted sum.
  static bool follows(const SamplingDefaults& options) { return !options.do_sample || options.top_p >= 1.0F; }
  // The part of the options that shapes the graph: 0 if all ids take part.
  int top_k_of(const SamplingDefaults& options) const;
  // The other part.
  void set_options(const SamplingDefaults& options);

  // logits: [1, V]; noise: [1, V], fill_noise() -> the drawn id, i32 [1]: the one that Sampler::draw gives for the same
  // scores, bit for bit, whatever the order in which the device's top-k and argmax prefer equals. The scores must be
  // finite.
  Tensor draw(Graph& g, Tensor logits, Tensor noise, int top_k) const;
  // V - id of a drawn id, as float [1, 1]: what a host reads together with other floats.
  Tensor countdown_of(Graph& g, Tensor id) const;

  // noise: [V], gumbel(key, id) for each id; zeros if nothing is drawn by chance.
  static void fill_noise(const SamplingDefaults& options, const DrawKey& key, std::span<float> noise);

 private:
  int vocab_size_;
  Tensor temperature_;  // [1, V], all equal
  Tensor countdown_;    // [1, V]: V - id
};

}  // namespace kazeia
