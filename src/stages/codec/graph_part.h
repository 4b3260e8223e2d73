// A part of the codec's decoder as a graph: one Plan for each number of frames that it was called with.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "nn/kv_cache.h"
#include "nn/stream_state.h"
#include "stages/codec/part.h"

namespace kazeia::codec {

// What the layers of a part keep between calls, for the function that builds its graph.
struct PartMemory {
  explicit PartMemory(int max_contexts) : past(max_contexts) {}

  nn::StreamState past;              // left contexts of convolutions
  std::optional<nn::KvCache> cache;  // of the pre-transformer only
  nn::AttentionInputs attention;     // of the graph being built; empty without a cache
};

class GraphPart final : public Part {
 public:
  // Adds the part's nodes; x: [frames * rows_per_frame, channels]. Weights are bound into the function.
  using BuildGraph = std::function<Tensor(Graph& g, Tensor x, PartMemory& memory)>;

  struct Spec {
    std::string name;
    int rows_per_frame = 1;  // of the input
    int64_t channels = 0;    // of the input
    BuildGraph build;
    std::function<int(int64_t num_rows)> max_nodes;  // of the graph for so many input rows
    int max_contexts = 16;                           // convolutions with a left context
    std::optional<nn::KvCache> cache = std::nullopt;
  };

  GraphPart(std::shared_ptr<Device> device, Spec spec);

  const std::string& name() const override { return spec_.name; }
  // Each num_frames costs the memory of a Plan.
  Status run(int num_frames, std::span<const float> x, std::vector<float>& y) override;
  void reset() override;

 private:
  struct Chunk {
    Plan plan;
    Tensor x, y;
    nn::AttentionInputs attention;
  };
  Result<Chunk> build(int num_frames);

  std::shared_ptr<Device> device_;
  Spec spec_;
  PartMemory memory_;
  int64_t num_rows_seen_ = 0;    // since reset()
  std::map<int, Chunk> chunks_;  // by number of frames
};

}  // namespace kazeia::codec
