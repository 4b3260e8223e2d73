#include "compute/device.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/cpu_cores.h"
#include "base/log.h"
#include "base/x86_features.h"

#ifdef KAZEIA_SIM
#include "compute/sim/sim_device.h"
#endif

namespace kazeia {
namespace {

const char* device_type_name(ggml_backend_dev_t dev) {
  switch (ggml_backend_dev_type(dev)) {
    case GGML_BACKEND_DEVICE_TYPE_CPU: return "cpu";
    case GGML_BACKEND_DEVICE_TYPE_GPU: return "gpu";
    default: return "accelerator";
  }
}

DeviceInfo describe(ggml_backend_dev_t dev) {
  DeviceInfo info;
  info.name = ggml_backend_dev_name(dev);
  info.description = ggml_backend_dev_description(dev);
  info.type = device_type_name(dev);
  ggml_backend_dev_memory(dev, &info.free_bytes, &info.total_bytes);
  const ggml_backend_buffer_type_t type = ggml_backend_dev_buffer_type(dev);
  const size_t max_size = ggml_backend_buft_get_max_size(type);
  info.max_buffer_bytes = max_size == SIZE_MAX ? 0 : max_size;
  info.host_visible = ggml_backend_buft_is_host(type);
  return info;
}

[[maybe_unused]] constexpr std::string_view kSimulatedPrefix = "sim:";

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Error unknown_device(const std::string& name) {
  std::string known = "cpu";
  for (const auto& list : {list_devices(), list_simulated_devices()})
    for (const DeviceInfo& device : list)
      if (!same_name(device.name, "cpu")) known += ", " + device.name;
  return Error{ErrorCode::unsupported,
               "expected a device of this build and machine, found \"" + name + "\"; known devices: " + known};
}

// What ggml has to say goes where our own messages go. Our Errors tell the user of failures, so these are details.
void forward_log(ggml_log_level level, const char* text, void*) {
  std::string_view message(text);
  while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
  if (level == GGML_LOG_LEVEL_WARN || level == GGML_LOG_LEVEL_ERROR) log(LogLevel::info, std::string(message));
}

void forward_logs_once() {
  static const bool done = (ggml_log_set(forward_log, nullptr), true);
  (void)done;
}

// A backend of the named device.
Result<GgmlBackendPtr> start(const std::string& name, [[maybe_unused]] int num_threads) {
#ifdef KAZEIA_SIM
  if (name.starts_with(kSimulatedPrefix)) {
    const sim::Profile* profile = sim::find_profile(name.substr(kSimulatedPrefix.size()));
    if (!profile) return unknown_device(name);
    return sim::open(*profile, name, num_threads);
  }
#endif
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    ggml_backend_dev_t dev = ggml_backend_dev_get(i);
    if (name != ggml_backend_dev_name(dev)) continue;
    GgmlBackendPtr backend(ggml_backend_dev_init(dev, /*params=*/nullptr));
    if (!backend) return Error{ErrorCode::device, name + ": the device can't be started"};
    return backend;
  }
  return unknown_device(name);
}

// Memory of the device in which the CPU can compute; null if there is none.
ggml_backend_buffer_type_t host_visible_type(ggml_backend* backend) {
  ggml_backend_buffer_type_t own = ggml_backend_get_default_buffer_type(backend);
  if (ggml_backend_buft_is_host(own)) return own;
  ggml_backend_buffer_type_t host = ggml_backend_dev_host_buffer_type(ggml_backend_get_device(backend));
  return host && ggml_backend_buft_is_host(host) ? host : nullptr;
}

// The first set of instructions that ggml was compiled to use and this CPU lacks; empty: none. Asked before anything of
// ggml computes, so that the answer is an Error and not an illegal instruction. Our own kernels choose at run time.
std::string missing_instruction_set() {
#if defined(__x86_64__)
  struct Set {
    const char* name;
    bool compiled_in, found;
  };
  const Set sets[] = {
      {"SSSE3", ggml_cpu_has_ssse3() != 0, __builtin_cpu_supports("ssse3") != 0},
      {"AVX", ggml_cpu_has_avx() != 0, __builtin_cpu_supports("avx") != 0},
      {"AVX2", ggml_cpu_has_avx2() != 0, __builtin_cpu_supports("avx2") != 0},
      {"FMA", ggml_cpu_has_fma() != 0, __builtin_cpu_supports("fma") != 0},
      {"F16C", ggml_cpu_has_f16c() != 0, cpu_has_f16c()},
      {"BMI2", ggml_cpu_has_bmi2() != 0, __builtin_cpu_supports("bmi2") != 0},
      {"AVX-512", ggml_cpu_has_avx512() != 0, __builtin_cpu_supports("avx512f") != 0},
      {"AVX-512 VBMI", ggml_cpu_has_avx512_vbmi() != 0, __builtin_cpu_supports("avx512vbmi") != 0},
      {"AVX-512 VNNI", ggml_cpu_has_avx512_vnni() != 0, __builtin_cpu_supports("avx512vnni") != 0},
      {"AVX-512 BF16", ggml_cpu_has_avx512_bf16() != 0, __builtin_cpu_supports("avx512bf16") != 0},
  };
  for (const Set& set : sets) {
    if (set.compiled_in && !set.found) return set.name;
  }
#endif
  return "";
}

}  // namespace

Result<std::shared_ptr<Device::Core>> Device::cpu_core(int num_threads) {
  if (num_threads < 1 || num_threads > 256)
    return Error{ErrorCode::invalid_argument, "threads: expected 1..256, found " + std::to_string(num_threads)};
  const std::string missing = missing_instruction_set();
  if (!missing.empty()) {
    return Error{ErrorCode::device, "cpu: expected a processor with " + missing +
                                        ", for which this library was built, found one without. A build with "
                                        "KAZEIA_NATIVE=OFF runs on more machines"};
  }
  forward_logs_once();
  auto core = std::make_shared<Core>();
  core->name = "cpu";
  core->is_cpu = true;
  core->num_threads = num_threads;
  ggml_threadpool_params params = ggml_threadpool_params_default(num_threads);
  params.poll = 0;  // sleep between graphs instead of spinning
  {
    const OnFastCores place_threads(num_threads);
    core->thread_pool.reset(ggml_threadpool_new(&params));
  }
  core->owned.reset(ggml_backend_cpu_init());
  if (!core->thread_pool || !core->owned) return Error{ErrorCode::device, "cpu: can't start the compute threads"};
  core->backend = core->owned.get();
  ggml_backend_cpu_set_n_threads(core->backend, num_threads);
  ggml_backend_cpu_set_threadpool(core->backend, core->thread_pool.get());
  return core;
}

Result<std::shared_ptr<Device>> Device::cpu(int num_threads) {
  KZ_TRY(std::shared_ptr<Core> core, cpu_core(num_threads));
  return std::shared_ptr<Device>(new Device(std::move(core)));
}

Result<std::shared_ptr<Device>> Device::open(const std::string& name, int num_threads) {
  if (same_name(name, "cpu")) return cpu(num_threads);
  forward_logs_once();
  auto core = std::make_shared<Core>();
  KZ_TRY(core->owned, start(name, num_threads));
  core->name = name;
  core->num_threads = num_threads;
  core->backend = core->owned.get();
  return std::shared_ptr<Device>(new Device(std::move(core)));
}

Result<std::shared_ptr<Device>> Device::borrow(ggml_backend* backend, const std::string& name, int num_threads) {
  if (!backend) return Error{ErrorCode::invalid_argument, name + ": expected a backend, found none"};
  auto core = std::make_shared<Core>();
  core->name = name;
  core->num_threads = num_threads;
  core->backend = backend;
  return std::shared_ptr<Device>(new Device(std::move(core)));
}

Result<std::shared_ptr<Device>> Device::for_part(const PartRules& rules) const {
  std::shared_ptr<Device> device(new Device(core_));
  device->rules_ = rules;
  if (!rules.weights || core_->is_cpu) return device;
  if (!host_visible_type(core_->backend)) {
    return Error{ErrorCode::unsupported, rules.part + ": " + core_->name +
                                             ":weights: expected memory that the CPU can read in place, and this "
                                             "device has none"};
  }
  KZ_TRY(device->core_, helper_of(*core_));
  device->weights_in_ = core_;
  device->name_ = core_->name + ":weights";
  return device;
}

Result<std::shared_ptr<Device::Core>> Device::helper_of(Core& core) {
  if (core.helper) return core.helper;
  KZ_TRY(core.helper, cpu_core(core.num_threads));
  return core.helper;
}

Result<ggml_backend*> Device::helper() const {
  if (core_->is_cpu) return core_->backend;
  KZ_TRY(const std::shared_ptr<Core> core, helper_of(*core_));
  return core->backend;
}

ThreadPool& Device::team() {
  KZ_CHECK(is_cpu());
  if (!core_->team) {
    const OnFastCores place_threads(core_->num_threads);
    core_->team = std::make_unique<ThreadPool>(core_->num_threads);
  }
  return *core_->team;
}

ggml_backend_buffer_type_t Device::weights_buffer_type() const {
  return weights_in_ ? host_visible_type(weights_in_->backend) : buffer_type();
}

DeviceInfo Device::info() const {
  DeviceInfo info = describe(ggml_backend_get_device(weights_in_ ? weights_in_->backend : core_->backend));
  info.name = name_;
  return info;
}

std::string Device::refusal(const ggml_tensor* node) const {
  if (core_->is_cpu || is_view(node)) return "";
#ifdef KAZEIA_SIM
  if (sim::SimDevice* simulated = sim::find(core_->backend)) return sim::refusal(simulated->profile(), node);
#endif
  if (ggml_backend_supports_op(core_->backend, node)) return "";
  return "its driver has no such operation for these types and shapes";
}

Error Device::fail(ErrorCode code, const std::string& what) const {
  std::string message = (rules_.part.empty() ? "" : rules_.part + ": ") + name_ + ": " + what;
#ifdef KAZEIA_SIM
  if (sim::SimDevice* simulated = sim::find(core_->backend); simulated && !simulated->counters().last_error.empty())
    message += " (" + simulated->counters().last_error + ")";
#endif
  if (record_->failure.empty()) record_->failure = message;
  return Error{code, message};
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  const std::string missing = missing_instruction_set();
  if (!missing.empty()) {  // even to ask ggml would end the process
    devices.push_back({.name = "cpu", .description = "unusable: this library was built for " + missing, .type = "cpu"});
    return devices;
  }
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) devices.push_back(describe(ggml_backend_dev_get(i)));
  return devices;
}

std::vector<std::string> list_backends() {
  std::vector<std::string> names;
  for (size_t i = 0; i < ggml_backend_reg_count(); ++i)
    names.emplace_back(ggml_backend_reg_name(ggml_backend_reg_get(i)));
  return names;
}

std::vector<DeviceInfo> list_simulated_devices() {
  std::vector<DeviceInfo> devices;
#ifdef KAZEIA_SIM
  for (const sim::Profile& profile : sim::profiles()) {
    devices.push_back({.name = std::string(kSimulatedPrefix) + profile.name,
                       .description = profile.description,
                       .type = "simulated",
                       .free_bytes = profile.memory_bytes,
                       .total_bytes = profile.memory_bytes,
                       .max_buffer_bytes = profile.max_buffer_bytes,
                       .host_visible = profile.host_visible});
  }
#endif
  return devices;
}

int default_num_threads() { return std::clamp(usable_cores().num_fast, 1, 16); }

}  // namespace kazeia
