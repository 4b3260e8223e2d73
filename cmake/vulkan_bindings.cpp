// ggml's Vulkan pipelines share one layout of KAZEIA_VULKAN_BINDINGS bindings. A set of descriptors serves one pipeline
// after another, and each writes only the bindings that it uses; the others may still name a buffer that is gone.
// Vulkan allows that. Mesa's software driver of Debian 12 (lavapipe 22.3) takes a reference to every bound buffer, used
// or not, and crashes when it gives back one that is gone. So each write fills the rest of its set with
// its first buffer.
//
// ggml asks vkGetInstanceProcAddr for its functions; the linker makes that call come here (--wrap, cmake/ggml.cmake).
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace {

// Set when ggml loads its functions, before it has a device.
PFN_vkUpdateDescriptorSets update_sets = nullptr;

VKAPI_ATTR void VKAPI_CALL update_whole_sets(VkDevice device, uint32_t num_writes, const VkWriteDescriptorSet* writes,
                                             uint32_t num_copies, const VkCopyDescriptorSet* copies) {
  for (uint32_t i = 0; i < num_writes; ++i) {
    VkWriteDescriptorSet write = writes[i];
    std::array<VkDescriptorBufferInfo, KAZEIA_VULKAN_BINDINGS> buffers;
    const bool fits = write.pBufferInfo != nullptr && write.dstBinding == 0 && write.descriptorCount > 0 &&
                      write.descriptorCount <= buffers.size();
    if (fits) {
      buffers.fill(write.pBufferInfo[0]);
      std::copy_n(write.pBufferInfo, write.descriptorCount, buffers.begin());
      write.pBufferInfo = buffers.data();
      write.descriptorCount = KAZEIA_VULKAN_BINDINGS;
    }
    update_sets(device, 1, &write, 0, nullptr);
  }
  if (num_copies > 0) update_sets(device, 0, nullptr, num_copies, copies);
}

}  // namespace

extern "C" {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL __real_vkGetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL __wrap_vkGetInstanceProcAddr(VkInstance instance, const char* name);

PFN_vkVoidFunction __wrap_vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  // Newer Vulkan headers ask for this function too, and go on with the answer.
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(__wrap_vkGetInstanceProcAddr);
  const PFN_vkVoidFunction function = __real_vkGetInstanceProcAddr(instance, name);
  if (function == nullptr || std::strcmp(name, "vkUpdateDescriptorSets") != 0) return function;
  update_sets = reinterpret_cast<PFN_vkUpdateDescriptorSets>(function);
  return reinterpret_cast<PFN_vkVoidFunction>(update_whole_sets);
}

}  // extern "C"
