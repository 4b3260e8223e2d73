#include "compute/device.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

namespace kazeia {
namespace {

// Threads of one core share its arithmetic units, so only one per core helps.
int count_physical_cores() {
  std::set<std::pair<int, int>> cores;  // package, core
  const auto logical = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int cpu = 0; cpu < logical; ++cpu) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::ifstream package_file(topology + "physical_package_id");
    std::ifstream core_file(topology + "core_id");
    int package = 0;
    int core = 0;
    if (package_file >> package && core_file >> core) cores.emplace(package, core);
  }
  return cores.empty() ? logical : std::min(logical, static_cast<int>(cores.size()));
}

const char* device_type_name(ggml_backend_dev_t dev) {
  switch (ggml_backend_dev_type(dev)) {
    case GGML_BACKEND_DEVICE_TYPE_CPU: return "cpu";
    case GGML_BACKEND_DEVICE_TYPE_GPU: return "gpu";
    default: return "accelerator";
  }
}

}  // namespace

Result<std::shared_ptr<Device>> Device::cpu(int num_threads) {
  if (num_threads < 1 || num_threads > 256)
    return Error{ErrorCode::invalid_argument, "threads: expected 1..256, found " + std::to_string(num_threads)};
  std::shared_ptr<Device> device(new Device);
  device->name_ = "cpu";
  device->is_cpu_ = true;
  device->num_threads_ = num_threads;
  ggml_threadpool_params params = ggml_threadpool_params_default(num_threads);
  params.poll = 0;  // sleep between graphs instead of spinning
  device->thread_pool_.reset(ggml_threadpool_new(&params));
  device->backend_.reset(ggml_backend_cpu_init());
  if (!device->thread_pool_ || !device->backend_)
    return Error{ErrorCode::device, "cpu: can't start the compute threads"};
  ggml_backend_cpu_set_n_threads(device->backend_.get(), num_threads);
  ggml_backend_cpu_set_threadpool(device->backend_.get(), device->thread_pool_.get());
  return device;
}

ThreadPool& Device::team() {
  KZ_CHECK(is_cpu_);
  if (!team_) team_ = std::make_unique<ThreadPool>(num_threads_);
  return *team_;
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    ggml_backend_dev_t dev = ggml_backend_dev_get(i);
    DeviceInfo info;
    info.name = ggml_backend_dev_name(dev);
    info.description = ggml_backend_dev_description(dev);
    info.type = device_type_name(dev);
    ggml_backend_dev_memory(dev, &info.free_bytes, &info.total_bytes);
    devices.push_back(std::move(info));
  }
  return devices;
}

int default_num_threads() { return std::clamp(count_physical_cores(), 1, 16); }

}  // namespace kazeia
