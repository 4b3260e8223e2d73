// A simulated accelerator: a ggml backend that computes on the CPU under the rules of a device that is not here.
//
// It refuses what the real one refuses, keeps its memory to itself, rounds as it rounds, and counts what would cost
// time there. So a placement can be proven to run wholly on the device, in how many calls, with how many bytes copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compute/ggml_ptr.h"
#include "compute/sim/profile.h"

namespace kazeia::sim {

struct Counters {
  int64_t graph_calls = 0;
  int64_t nodes = 0;                   // without views
  int64_t multiply_adds = 0;           // of matrix products
  int64_t uploads = 0, downloads = 0;  // transfers between host and device
  int64_t bytes_up = 0, bytes_down = 0;
  std::map<std::string, int64_t> ops;          // nodes by name of the operation
  size_t allocated_bytes = 0, peak_bytes = 0;  // of device memory, now and at most
  std::string last_error;                      // why the last failed call failed

  // What the calls and copies would take there; computing not included.
  double overhead_ms(const Profile& profile) const;
};

// What is to go wrong.
struct Faults {
  std::optional<size_t> memory_bytes = {};  // less memory than the profile says
  int64_t fail_call = 0;                    // this graph call fails, counted from 1 over the device's life; 0: none
  bool vanished = false;                    // every call and allocation fails, copies do nothing
  float wrong_by = 0;                       // matrix products come out too large by this fraction
};

class SimDevice {
 public:
  virtual ~SimDevice() = default;
  virtual const Profile& profile() const = 0;
  virtual Counters& counters() = 0;
  virtual Faults& faults() = 0;
  // Called with each node that the device is about to compute, views not.
  using Observer = std::function<void(const ggml_tensor* node)>;
  virtual Observer& observer() = 0;
};

// A new device of its own, named `name` for ggml. num_threads: of the CPU that plays the device.
GgmlBackendPtr open(const Profile& profile, const std::string& name, int num_threads);

// The device behind a backend; null if the backend is no simulated one. Lives as long as the backend.
SimDevice* find(ggml_backend* backend);

// Adds a device to ggml's own list for the life of the process, as a driver does with a real one. Each backend that is
// opened by this name is a device of its own with its own counters.
void register_device(const Profile& profile, const std::string& name);

}  // namespace kazeia::sim
