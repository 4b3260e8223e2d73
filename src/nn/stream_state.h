// Left contexts of streaming layers: what makes decoding chunk by chunk equal to decoding everything at once.
#pragma once
#include <vector>

#include "compute/state.h"

namespace kazeia::nn {

// For each convolution of a graph, the last input rows that its next run still needs. They start at zero, which is how
// the official code pads an utterance on the left.
//
// Every graph over the same StreamState is made by the same function, for another number of rows: its layers ask for
// their contexts in the same order each time. So: begin_graph(), build, and allocate() before the Plan is made.
class StreamState {
 public:
  explicit StreamState(int max_contexts = 16) : state_(max_contexts), max_contexts_(max_contexts) {}

  void begin_graph() { next_ = 0; }
  // A graph may pass the same layers several times, for the rows one piece after the other: where the pieces begin, it
  // remembers next_layer(), and goes back there before each.
  size_t next_layer() const { return next_; }
  void go_back_to(size_t layer) { next_ = layer; }
  // The context of the next layer: [rows, channels]
  Tensor next_context(int64_t rows, int64_t channels);

  // Does nothing after the first time.
  Status allocate(const Device& device);
  // Back to zeros: the start of a new utterance.
  void clear() { state_.clear(); }

 private:
  State state_;
  int max_contexts_;
  std::vector<Tensor> contexts_;
  size_t next_ = 0;  // index of the next layer's context
  bool allocated_ = false;
};

}  // namespace kazeia::nn
