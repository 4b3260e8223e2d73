// What a part's work would take on a device, from stated speeds: coarse, but it tells 5 ms from 75 ms.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kazeia {

// Stated speeds of a device; docs/devices.md says where each comes from.
struct DeviceFigures {
  double ms_per_call = 0;       // of handing over one graph and waiting for its end
  double copy_gb_per_s = 0;     // between the host and the device's memory; 0: nothing is copied
  double gmac_per_s = 0;        // multiply-adds of products with many rows
  double weights_gb_per_s = 0;  // reading weights: what bounds a product with one row
};

// Of one frame, or of a whole run.
struct Work {
  double calls = 0;
  double copied_bytes = 0;
  double multiply_adds = 0;
  double weight_bytes = 0;  // read, each time that they are
};

// Calls, then copies, then the slower of computing and reading weights.
double estimate_ms(const DeviceFigures& figures, const Work& work);

// Assumed for any CPU.
DeviceFigures cpu_figures(int num_threads);
// By a device's name, as ggml gives it or simulated; empty: nothing is stated, so nothing can be estimated.
std::optional<DeviceFigures> device_figures(const std::string& device_name);

}  // namespace kazeia
