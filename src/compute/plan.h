// A graph with its memory on one device: built and allocated once, run many times.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "base/result.h"
#include "compute/device.h"
#include "compute/graph.h"

namespace kazeia {

class Plan {
 public:
  // Takes the finished graph and allocates its values on the device. Errors name the device.
  static Result<Plan> create(std::shared_ptr<Device> device, Graph graph);

  // Inputs and outputs cross here; sizes must match exactly.
  void set(Tensor input, std::span<const float> values);
  void set(Tensor input, std::span<const int32_t> values);
  void set(Tensor input, std::span<const int64_t> values);
  void get(Tensor output, std::span<float> values) const;

  Status run();

 private:
  Plan(std::shared_ptr<Device> device, Graph graph) : device_(std::move(device)), graph_(std::move(graph)) {}

  std::shared_ptr<Device> device_;
  Graph graph_;
  GgmlAllocatorPtr allocator_;
};

}  // namespace kazeia
