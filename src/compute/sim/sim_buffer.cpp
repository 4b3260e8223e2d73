// Device memory: pages that the CPU can't touch outside the device's calls, unless the profile says that it may.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "compute/sim/sim_core.h"

namespace kazeia::sim {
namespace {

// A buffer keeps its device alive: it may be freed after the backend.
struct BufferContext {
  std::shared_ptr<Core> core;
  std::unique_ptr<Memory> memory;
};

BufferContext& context_of(ggml_backend_buffer* buffer) { return *static_cast<BufferContext*>(buffer->context); }

// Memory is reachable while one of these lives.
class Access {
 public:
  explicit Access(ggml_backend_buffer* buffer) : context_(context_of(buffer)) { open(true); }
  ~Access() { open(false); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  void open(bool open) const { context_.core->open_memory(*context_.memory, open); }
  const BufferContext& context_;
};

void free_buffer(ggml_backend_buffer* buffer) {
  const std::unique_ptr<BufferContext> context(&context_of(buffer));
  context->core->release(context->memory.get());
  munmap(context->memory->base, context->memory->num_bytes);
}

void* get_base(ggml_backend_buffer* buffer) { return context_of(buffer).memory->base; }

void memset_tensor(ggml_backend_buffer* buffer, ggml_tensor* tensor, uint8_t value, size_t offset, size_t size) {
  const Access access(buffer);
  std::memset(static_cast<std::byte*>(tensor->data) + offset, value, size);
}

void set_tensor(ggml_backend_buffer* buffer, ggml_tensor* tensor, const void* data, size_t offset, size_t size) {
  Core& core = *context_of(buffer).core;
  if (core.faults().vanished) return;
  ++core.counters().uploads;
  core.counters().bytes_up += static_cast<int64_t>(size);
  const Access access(buffer);
  std::memcpy(static_cast<std::byte*>(tensor->data) + offset, data, size);
}

void get_tensor(ggml_backend_buffer* buffer, const ggml_tensor* tensor, void* data, size_t offset, size_t size) {
  Core& core = *context_of(buffer).core;
  if (core.faults().vanished) {
    std::memset(data, 0, size);
    return;
  }
  ++core.counters().downloads;
  core.counters().bytes_down += static_cast<int64_t>(size);
  const Access access(buffer);
  std::memcpy(data, static_cast<const std::byte*>(tensor->data) + offset, size);
}

void clear(ggml_backend_buffer* buffer, uint8_t value) {
  const Access access(buffer);
  std::memset(context_of(buffer).memory->base, value, buffer->size);
}

}  // namespace

ggml_backend_buffer* make_buffer(std::shared_ptr<Core> core, std::unique_ptr<Memory> memory, size_t num_bytes) {
  ggml_backend_buffer_i functions = {};
  functions.free_buffer = free_buffer;
  functions.get_base = get_base;
  functions.memset_tensor = memset_tensor;
  functions.set_tensor = set_tensor;
  functions.get_tensor = get_tensor;
  functions.clear = clear;
  ggml_backend_buffer_type* type = core->buffer_type();
  auto context = std::make_unique<BufferContext>(BufferContext{std::move(core), std::move(memory)});
  return ggml_backend_buffer_init(type, functions, context.release(), num_bytes);
}

ggml_backend_buffer* Core::allocate(size_t num_bytes) {
  if (faults_.vanished || num_bytes > profile_.max_buffer_bytes) return nullptr;
  if (counters_.allocated_bytes + num_bytes > memory_bytes()) return nullptr;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  auto memory = std::make_unique<Memory>();
  memory->num_bytes = (num_bytes / page + 1) * page;
  memory->base = mmap(nullptr, memory->num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory->base == MAP_FAILED) return nullptr;
  open_memory(*memory, false);
  counters_.allocated_bytes += memory->num_bytes;
  counters_.peak_bytes = std::max(counters_.peak_bytes, counters_.allocated_bytes);
  memory_.push_back(memory.get());
  return make_buffer(shared_from_this(), std::move(memory), num_bytes);
}

void Core::release(const Memory* memory) {
  std::erase(memory_, memory);
  counters_.allocated_bytes -= memory->num_bytes;
}

void Core::open_memory(const Memory& memory, bool open) const {
  if (!profile_.host_visible) mprotect(memory.base, memory.num_bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void Core::open_memory(bool open) const {
  for (const Memory* memory : memory_) open_memory(*memory, open);
}

}  // namespace kazeia::sim
