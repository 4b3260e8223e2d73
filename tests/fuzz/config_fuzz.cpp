// links: kazeia_formats
// The three JSON files of a checkpoint from anyone, with a line "====" between them: a config that is accepted is valid
// and has a manifest whose sizes can be computed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "formats/tensor_manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kazeia;
  constexpr std::string_view kBorder = "\n====\n";
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::span<const std::byte> parts[3];
  for (auto& part : parts) {
    const size_t end = std::min(text.find(kBorder), text.size());
    part = std::as_bytes(std::span(text.substr(0, end)));
    text.remove_prefix(std::min(end + kBorder.size(), text.size()));
  }
  const auto config = parse_checkpoint_config({parts[0], parts[1], parts[2]}, "fuzz");
  if (!config) return config.error().message.empty() ? std::abort(), 0 : 0;
  if (!validate(*config, "fuzz")) std::abort();
  for (const TensorSpec& spec : tensor_manifest(*config)) {
    if (spec.shape.num_elements() <= 0 || spec.name.size() >= 64) std::abort();
  }
  return 0;
}
