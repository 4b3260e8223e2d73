// The numbers of the GGUF container, version 3, little endian.
// magic, version, number of tensors, number of metadata entries; entries: key, type, value; tensors: name, sizes from
// the contiguous one outwards, type, offset; then the data, aligned.
#pragma once
#include <cstdint>
#include <optional>

#include "formats/dtype.h"

namespace kazeia {

inline constexpr char kGgufMagic[4] = {'G', 'G', 'U', 'F'};
inline constexpr uint32_t kGgufVersion = 3;
inline constexpr uint64_t kGgufDefaultAlignment = 32;  // of files without general.alignment
inline constexpr uint64_t kGgufAlignment = 64;         // of our files: a cache line
inline constexpr const char* kGgufAlignmentKey = "general.alignment";

enum class GgufType : uint32_t {
  uint8 = 0,
  int8 = 1,
  uint16 = 2,
  int16 = 3,
  uint32 = 4,
  int32 = 5,
  float32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  uint64 = 10,
  int64 = 11,
  float64 = 12,
};

// Number of a tensor type in the file.
constexpr uint32_t gguf_tensor_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return 0;
    case DType::f16: return 1;
    case DType::q4_0: return 2;
    case DType::q8_0: return 8;
    case DType::bf16: return 30;
  }
  return 0;
}

constexpr std::optional<DType> dtype_of_gguf(uint32_t type) {
  for (const DType dtype : {DType::f32, DType::f16, DType::q4_0, DType::q8_0, DType::bf16}) {
    if (gguf_tensor_type(dtype) == type) return dtype;
  }
  return std::nullopt;
}

}  // namespace kazeia
