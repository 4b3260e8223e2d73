// What ggml's Vulkan backend names of VK_EXT_layer_settings, for Vulkan headers that lack it (before 1.3.272; Debian 12 has
// 1.3.239). It is only used when validation is on; the layout is that of the Vulkan specification.
#pragma once
#ifdef __cplusplus
#include <vulkan/vulkan_core.h>

#ifndef VK_EXT_layer_settings
#include <cstdint>
#include <vector>

namespace vk {

enum class LayerSettingTypeEXT { eBool32 = 0 };

struct LayerSettingEXT {
  const char* layer;
  const char* name;
  LayerSettingTypeEXT type;
  uint32_t count;
  const void* values;
};

struct LayerSettingsCreateInfoEXT {
  int structure_type = 1000496000;  // VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT
  const void* pNext = nullptr;      // the backend names the field so
  uint32_t setting_count;
  const LayerSettingEXT* settings;

  explicit LayerSettingsCreateInfoEXT(const std::vector<LayerSettingEXT>& all)
      : setting_count(static_cast<uint32_t>(all.size())), settings(all.data()) {}
};

}  // namespace vk
#endif
#endif
