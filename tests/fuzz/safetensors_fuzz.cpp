// links: kazeia_formats
// A safetensors file from anyone: parsed or refused; the tensors of a parsed one fill its data exactly.
#include <cstdint>
#include <cstdlib>

#include "formats/safetensors_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kazeia;
  const std::span file(reinterpret_cast<const std::byte*>(data), size);
  const auto tensors = parse_safetensors(file, "fuzz.safetensors");
  if (!tensors) return tensors.error().message.empty() ? std::abort(), 0 : 0;
  for (const auto& [name, tensor] : *tensors) {
    if (tensor.bytes.empty()) continue;
    if (tensor.bytes.data() < file.data() || tensor.bytes.data() + tensor.bytes.size() > file.data() + size)
      std::abort();
    if (tensor.dtype && tensor.bytes.size() != storage_bytes(*tensor.dtype, tensor.shape.num_elements())) std::abort();
  }
  return 0;
}
