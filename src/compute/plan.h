// A graph with its memory on one device: built and allocated once, run many times.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "base/result.h"
#include "compute/device.h"
#include "compute/graph.h"
#include "compute/input_pack.h"

namespace kazeia {

// Where the device refuses nodes, a strict part gets an Error that names them; any other part gets a graph that is
// split between device and CPU, which costs copies: see Coverage.
class Plan {
 public:
  // Takes the finished graph and allocates its values on the device. Errors name the device.
  static Result<Plan> create(std::shared_ptr<Device> device, Graph graph);

  // Inputs and outputs cross here, inputs of a graph that runs wholly on a device all together with the next run. Sizes
  // must match exactly.
  void set(Tensor input, std::span<const float> values);
  void set(Tensor input, std::span<const int32_t> values);
  void set(Tensor input, std::span<const int64_t> values);
  void get(Tensor output, std::span<float> values) const;
  void get(Tensor output, std::span<int32_t> values) const;

  Status run();

 private:
  // What one run costs.
  struct Cost {
    int64_t device_calls = 0;
    int64_t copies_up = 0, copies_down = 0;  // between the pieces of a split graph
    int64_t bytes_up = 0, bytes_down = 0;
    int64_t device_macs = 0, cpu_macs = 0;
    int64_t device_matrix_bytes = 0;
  };

  Plan(std::shared_ptr<Device> device, Graph graph) : device_(std::move(device)), graph_(std::move(graph)) {}
  Status allocate();
  Status allocate_split();
  // Notes refused nodes in the coverage; how many there are.
  int64_t note_refused() const;
  void count_split(const std::vector<std::vector<ggml_tensor*>>& sources_before);
  void upload(Tensor tensor, const void* data, size_t num_bytes);
  void download(Tensor tensor, void* data, size_t num_bytes) const;
  bool lies_on_device(Tensor tensor) const;

  std::shared_ptr<Device> device_;
  Graph graph_;
  std::unique_ptr<InputPack> inputs_;  // of a graph that a device beside the CPU computes as a whole
  GgmlAllocatorPtr allocator_;         // of a whole graph
  GgmlSchedulerPtr scheduler_;         // of a split one; never reset, so that a run allocates nothing
  Cost cost_;
};

}  // namespace kazeia
