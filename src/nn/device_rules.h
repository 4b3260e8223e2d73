// What graphs for a device must respect, found out by asking the device about sample nodes.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "compute/device.h"
#include "formats/tensor_source.h"

namespace kazeia::nn {

struct DeviceRules {
  int64_t max_matmul_rows = 0;  // of a product's second operand; 0: no limit
  bool exact_gelu = true;       // has the GELU with the error function

  static DeviceRules of(const Device& device);
};

// The type in which a device gets a tensor: matrices in f16, which accelerators multiply fastest, where they are not
// quantised; everything else in f32. is_matrix: whether products read it.
DType device_type(const TensorInfo& info, bool is_matrix);

// The same tensors in other types.
using ChooseType = std::function<DType(const std::string& name, const TensorInfo& info)>;
std::shared_ptr<const TensorSource> with_types(std::shared_ptr<const TensorSource> source, const ChooseType& choose);

}  // namespace kazeia::nn
