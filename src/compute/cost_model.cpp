#include "compute/cost_model.h"

#include <algorithm>

#ifdef KAZEIA_SIM
#include "compute/sim/profile.h"
#endif

namespace kazeia {

double estimate_ms(const DeviceFigures& figures, const Work& work) {
  const auto ms = [](double amount, double giga_per_s) { return giga_per_s > 0 ? amount / giga_per_s * 1e-6 : 0.0; };
  return work.calls * figures.ms_per_call + ms(work.copied_bytes, figures.copy_gb_per_s) +
         std::max(ms(work.multiply_adds, figures.gmac_per_s), ms(work.weight_bytes, figures.weights_gb_per_s));
}

DeviceFigures cpu_figures(int num_threads) {
  constexpr double kGmacPerSecond = 20, kGigabytesPerSecond = 8, kMostGigabytesPerSecond = 40;
  return {.ms_per_call = 0,
          .copy_gb_per_s = 0,
          .gmac_per_s = kGmacPerSecond * num_threads,
          .weights_gb_per_s = std::min(kGigabytesPerSecond * num_threads, kMostGigabytesPerSecond)};
}

std::optional<DeviceFigures> device_figures(const std::string& device_name) {
#ifdef KAZEIA_SIM
  constexpr const char* kSimulatedPrefix = "sim:";
  if (device_name.starts_with(kSimulatedPrefix)) {
    const sim::Profile* profile = sim::find_profile(device_name.substr(4));
    return profile ? std::optional(profile->figures) : std::nullopt;
  }
#endif
  // Hexagon, as ggml names it: HTP0, HTP1. The call was measured by the first engine on its tablet; the rest is
  // assumed.
  if (device_name.starts_with("HTP"))
    return DeviceFigures{.ms_per_call = 5, .copy_gb_per_s = 10, .gmac_per_s = 1000, .weights_gb_per_s = 30};
  return std::nullopt;
}

}  // namespace kazeia
