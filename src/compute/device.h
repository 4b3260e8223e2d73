// Where graphs run: one ggml backend with its buffers. The CPU is always there.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "compute/ggml_ptr.h"

namespace kazeia {

// One Device serves one thread at a time; engines don't share devices.
class Device {
 public:
  // num_threads: 1..256. The pool's threads sleep between graphs.
  static Result<std::shared_ptr<Device>> cpu(int num_threads);

  const std::string& name() const { return name_; }
  bool is_cpu() const { return is_cpu_; }
  int num_threads() const { return num_threads_; }
  // The threads of the CPU's own kernels: as many as the backend has.
  ThreadPool& team();
  ggml_backend* backend() const { return backend_.get(); }
  ggml_backend_buffer_type_t buffer_type() const { return ggml_backend_get_default_buffer_type(backend_.get()); }

 private:
  Device() = default;

  std::string name_;
  bool is_cpu_ = false;
  int num_threads_ = 1;
  GgmlThreadPoolPtr thread_pool_;  // outlives the backend that uses it
  GgmlBackendPtr backend_;
  std::unique_ptr<ThreadPool> team_;  // started when first used
};

// What ggml was built with and found on this machine.
struct DeviceInfo {
  std::string name, description, type;
  size_t free_bytes = 0, total_bytes = 0;
};
std::vector<DeviceInfo> list_devices();

// Processors that a compute thread should use by default: physical cores, at most 16.
int default_num_threads();

}  // namespace kazeia
