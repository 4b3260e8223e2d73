// The simulated device as ggml sees it: tables of functions, filled by name, for a backend, a device and their
// registry.
#include <ggml-cpu.h>

#include <algorithm>
#include <deque>

#include "compute/sim/sim_core.h"

namespace kazeia::sim {
namespace {

Core& core_of(ggml_backend_dev_t device) { return *static_cast<Core*>(device->context); }
Core& core_of(ggml_backend_buffer_type_t type) { return *static_cast<Core*>(type->context); }
// A backend holds its device by a shared pointer of its own.
std::shared_ptr<Core>* holder_of(ggml_backend_t backend) {
  return static_cast<std::shared_ptr<Core>*>(backend->context);
}

ggml_guid* simulated_guid() {
  static ggml_guid guid = {'k', 'a', 'z', 'e', 'i', 'a', '-', 's', 'i', 'm', 'u', 'l', 'a', 't', 'e', 'd'};
  return &guid;
}

// ---- buffer type

const char* type_name(ggml_backend_buffer_type_t type) { return core_of(type).name().c_str(); }
ggml_backend_buffer_t type_allocate(ggml_backend_buffer_type_t type, size_t size) {
  return core_of(type).allocate(size);
}
size_t type_alignment(ggml_backend_buffer_type_t type) { return core_of(type).profile().alignment; }
size_t type_max_size(ggml_backend_buffer_type_t type) { return core_of(type).profile().max_buffer_bytes; }
bool type_is_host(ggml_backend_buffer_type_t type) { return core_of(type).profile().host_visible; }

// ---- backend

const char* backend_name(ggml_backend_t backend) { return (*holder_of(backend))->name().c_str(); }
void backend_free(ggml_backend_t backend) {
  const std::unique_ptr<std::shared_ptr<Core>> holder(holder_of(backend));
  const std::unique_ptr<ggml_backend> owned(backend);
}
ggml_status backend_compute(ggml_backend_t backend, ggml_cgraph* graph) {
  return (*holder_of(backend))->compute(graph);
}

// ---- device

const char* device_name(ggml_backend_dev_t device) { return core_of(device).name().c_str(); }
const char* device_description(ggml_backend_dev_t device) { return core_of(device).profile().description.c_str(); }
void device_memory(ggml_backend_dev_t device, size_t* free, size_t* total) {
  Core& core = core_of(device);
  *total = core.memory_bytes();
  *free = *total - std::min(*total, core.counters().allocated_bytes);
}
enum ggml_backend_dev_type device_type(ggml_backend_dev_t) {
  return GGML_BACKEND_DEVICE_TYPE_GPU;
}  // as HTP0 says of itself
void device_properties(ggml_backend_dev_t device, ggml_backend_dev_props* properties) {
  *properties = {};
  properties->name = device_name(device);
  properties->description = device_description(device);
  properties->type = device_type(device);
  device_memory(device, &properties->memory_free, &properties->memory_total);
}
// Another device of the same kind: see register_device().
ggml_backend_t device_open(ggml_backend_dev_t device, const char*) {
  const Core& kind = core_of(device);
  return make_backend(std::make_shared<Core>(kind.profile(), kind.name(), kind.num_threads()));
}
ggml_backend_buffer_type_t device_buffer_type(ggml_backend_dev_t device) { return core_of(device).buffer_type(); }
bool device_supports_op(ggml_backend_dev_t device, const ggml_tensor* node) {
  return refusal(core_of(device).profile(), node).empty();
}
bool device_supports_type(ggml_backend_dev_t device, ggml_backend_buffer_type_t type) {
  return type == core_of(device).buffer_type();
}

// ---- registry

const char* registry_name(ggml_backend_reg_t) { return "simulated"; }
size_t registry_size(ggml_backend_reg_t) { return 0; }  // its devices are listed one by one
ggml_backend_dev_t registry_device(ggml_backend_reg_t, size_t) { return nullptr; }

ggml_backend_reg* registry() {
  static ggml_backend_reg registry = [] {
    ggml_backend_reg made = {};
    made.api_version = GGML_BACKEND_API_VERSION;
    made.iface.get_name = registry_name;
    made.iface.get_device_count = registry_size;
    made.iface.get_device = registry_device;
    return made;
  }();
  return &registry;
}

}  // namespace

void fill_interfaces(Core& core, ggml_backend_device& device, ggml_backend_buffer_type& buffer_type) {
  buffer_type.iface.get_name = type_name;
  buffer_type.iface.alloc_buffer = type_allocate;
  buffer_type.iface.get_alignment = type_alignment;
  buffer_type.iface.get_max_size = type_max_size;
  buffer_type.iface.is_host = type_is_host;
  buffer_type.device = &device;
  buffer_type.context = &core;

  device.iface.get_name = device_name;
  device.iface.get_description = device_description;
  device.iface.get_memory = device_memory;
  device.iface.get_type = device_type;
  device.iface.get_props = device_properties;
  device.iface.init_backend = device_open;
  device.iface.get_buffer_type = device_buffer_type;
  device.iface.supports_op = device_supports_op;
  device.iface.supports_buft = device_supports_type;
  device.reg = registry();
  device.context = &core;
}

ggml_backend* make_backend(std::shared_ptr<Core> core) {
  auto backend = std::make_unique<ggml_backend>();
  *backend = {};
  backend->guid = simulated_guid();
  backend->iface.get_name = backend_name;
  backend->iface.free = backend_free;
  backend->iface.graph_compute = backend_compute;
  backend->device = core->device();
  backend->context = std::make_unique<std::shared_ptr<Core>>(std::move(core)).release();
  return backend.release();
}

GgmlBackendPtr open(const Profile& profile, const std::string& name, int num_threads) {
  return GgmlBackendPtr(make_backend(std::make_shared<Core>(profile, name, num_threads)));
}

SimDevice* find(ggml_backend* backend) {
  if (!backend || backend->guid != simulated_guid()) return nullptr;
  return holder_of(backend)->get();
}

void register_device(const Profile& profile, const std::string& name) {
  static std::deque<std::shared_ptr<Core>> kinds;  // ggml keeps pointers to them
  kinds.push_back(std::make_shared<Core>(profile, name, /*num_threads=*/1));
  ggml_backend_device_register(kinds.back()->device());
}

}  // namespace kazeia::sim
