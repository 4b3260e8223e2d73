// Where graphs run: one ggml backend with its buffers. The CPU is always there.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "compute/coverage.h"
#include "compute/ggml_ptr.h"

namespace kazeia {

// What a device says of itself.
struct DeviceInfo {
  std::string name, description, type;     // type: "cpu", "gpu", "accelerator", "simulated"
  size_t free_bytes = 0, total_bytes = 0;  // 0: it does not say
  size_t max_buffer_bytes = 0;             // of one buffer; 0: no limit
  bool host_visible = false;               // the CPU can read its buffers in place
};

// What one part of a model asks of its device.
struct PartRules {
  std::string part;      // "talker", for messages and reports
  bool strict = false;   // a node that the device refuses is an Error instead of work for the CPU
  bool weights = false;  // only the weights lie in the device's memory; the CPU computes with them in place
};

// One Device serves one thread at a time; engines don't share devices.
class Device {
 public:
  // num_threads: 1..256. The pool's threads sleep between graphs.
  static Result<std::shared_ptr<Device>> cpu(int num_threads);

  // name: "cpu", a device that ggml finds on this machine ("Vulkan0", "HTP0"), or a simulated one ("sim:hexagon", see
  // compute/sim/). num_threads: of the CPU where it helps out. An unknown name is an Error that lists the known ones.
  static Result<std::shared_ptr<Device>> open(const std::string& name, int num_threads);

  // Someone else's backend, made by the ggml that this library is built with. It must outlive the Device and everything
  // on it, and must not be used by others during our calls.
  static Result<std::shared_ptr<Device>> borrow(ggml_backend* backend, const std::string& name, int num_threads);

  // The same device as one part of a model uses it: with that part's rules, and a record of its own of what runs where.
  Result<std::shared_ptr<Device>> for_part(const PartRules& rules) const;

  // "cpu", "HTP0"; "HTP0:weights" where only the weights lie there.
  const std::string& name() const { return name_; }
  // Whether our own CPU kernels may be used: the CPU computes, and the weights are in its own memory.
  bool is_cpu() const { return core_->is_cpu && !weights_in_; }
  // Whether graphs run on a device beside the CPU.
  bool is_remote() const { return !core_->is_cpu; }
  bool is_strict() const { return rules_.strict; }
  const PartRules& rules() const { return rules_; }
  int num_threads() const { return core_->num_threads; }
  // The threads of the CPU's own kernels: as many as the backend has.
  ThreadPool& team();

  ggml_backend* backend() const { return core_->backend; }
  // Of values and states; weights_buffer_type() differs only where PartRules::weights is set.
  ggml_backend_buffer_type_t buffer_type() const { return ggml_backend_get_default_buffer_type(backend()); }
  ggml_backend_buffer_type_t weights_buffer_type() const;
  // What this device says of itself now: its free memory changes.
  DeviceInfo info() const;

  // Why the device can't compute the node; empty if it can. Views and reshapes are no computation.
  std::string refusal(const ggml_tensor* node) const;
  bool supports(const ggml_tensor* node) const { return refusal(node).empty(); }

  // The CPU's backend, for the nodes that the device refuses.
  Result<ggml_backend*> helper() const;

  // What ran where so far; Weights and Plans write it.
  Coverage& coverage() const { return record_->coverage; }

  // The first failure of this part on its device, in words; empty: none. After one, its results can't be trusted.
  const std::string& failure() const { return record_->failure; }
  // Notes a failure and returns it as an Error that names the device.
  Error fail(ErrorCode code, const std::string& what) const;

 private:
  // What all parts on one device share.
  struct Core {
    std::string name;
    bool is_cpu = false;
    int num_threads = 1;
    GgmlThreadPoolPtr thread_pool;  // outlives the backend that uses it
    GgmlBackendPtr owned;           // empty if borrowed
    ggml_backend* backend = nullptr;
    std::unique_ptr<ThreadPool> team;  // started when first used
    std::shared_ptr<Core> helper;      // the CPU; made when first used
  };
  struct Record {
    Coverage coverage;
    std::string failure;
  };
  explicit Device(std::shared_ptr<Core> core)
      : core_(std::move(core)), name_(core_->name), record_(std::make_unique<Record>()) {}
  static Result<std::shared_ptr<Core>> cpu_core(int num_threads);
  static Result<std::shared_ptr<Core>> helper_of(Core& core);

  std::shared_ptr<Core> core_;  // computes
  std::string name_;
  PartRules rules_;
  std::shared_ptr<Core> weights_in_;  // holds the weights, where rules_.weights is set
  std::unique_ptr<Record> record_;
};

// What ggml was built with and found on this machine.
std::vector<DeviceInfo> list_devices();
// Backends that ggml was built with, whether or not this machine has their devices: "CPU", "Vulkan".
std::vector<std::string> list_backends();
// Simulated devices of this build; empty if ggml came without the headers that they need.
std::vector<DeviceInfo> list_simulated_devices();

// How many threads compute by default: one for each fast physical core, at most 16.
int default_num_threads();

}  // namespace kazeia
