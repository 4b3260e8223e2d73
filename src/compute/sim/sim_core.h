// Inside the simulated device: what its buffers, its backend and its entry in ggml's lists share.
#pragma once
#include <ggml-backend-impl.h>

#include <memory>
#include <string>
#include <vector>

#include "compute/sim/sim_device.h"

namespace kazeia::sim {

// A stretch of device memory.
struct Memory {
  void* base = nullptr;
  size_t num_bytes = 0;
};

class Core final : public SimDevice, public std::enable_shared_from_this<Core> {
 public:
  Core(const Profile& profile, const std::string& name, int num_threads);

  const Profile& profile() const override { return profile_; }
  Counters& counters() override { return counters_; }
  Faults& faults() override { return faults_; }
  Observer& observer() override { return observer_; }

  const std::string& name() const { return name_; }
  int num_threads() const { return num_threads_; }
  ggml_backend_device* device() { return &device_; }
  ggml_backend_buffer_type* buffer_type() { return &buffer_type_; }
  size_t memory_bytes() const { return faults_.memory_bytes.value_or(profile_.memory_bytes); }

  // Null: no memory left, or the device is gone.
  ggml_backend_buffer* allocate(size_t num_bytes);
  void release(const Memory* memory);

  ggml_status compute(ggml_cgraph* graph);
  // Makes hidden memory reachable, or unreachable again.
  void open_memory(bool open) const;
  void open_memory(const Memory& memory, bool open) const;

 private:
  ggml_status fail(const std::string& why);
  std::string objection(const ggml_tensor* node) const;
  ggml_status compute_nodes(ggml_cgraph* graph, int first, int count);
  void finish_product(ggml_tensor* node) const;

  Profile profile_;
  std::string name_;
  int num_threads_;
  Counters counters_;
  Faults faults_;
  Observer observer_;
  ggml_backend_device device_ = {};
  ggml_backend_buffer_type buffer_type_ = {};
  std::vector<const Memory*> memory_;
  GgmlThreadPoolPtr thread_pool_;  // made with the first graph
  GgmlBackendPtr cpu_;
};

// In sim_interface.cpp: the tables of functions that ggml calls.
void fill_interfaces(Core& core, ggml_backend_device& device, ggml_backend_buffer_type& buffer_type);
ggml_backend* make_backend(std::shared_ptr<Core> core);
// In sim_buffer.cpp
ggml_backend_buffer* make_buffer(std::shared_ptr<Core> core, std::unique_ptr<Memory> memory, size_t num_bytes);

}  // namespace kazeia::sim
