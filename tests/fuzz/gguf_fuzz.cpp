// links: kazeia_formats
// A GGUF file from anyone: parsed or refused, and what is parsed can be touched to its last byte.
#include <cstdint>
#include <cstdlib>

#include "formats/gguf_model.h"

namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kazeia;
  const auto contents = parse_gguf({reinterpret_cast<const std::byte*>(data), size}, "fuzz.gguf");
  if (!contents) {
    expect(!contents.error().message.empty());
    return 0;
  }
  expect(contents->tensors.size() == contents->tensor_order.size());
  for (const auto& [name, tensor] : contents->tensors) {
    expect(tensor.bytes.size() == storage_bytes(tensor.dtype, tensor.shape.num_elements()));
    volatile std::byte last = tensor.bytes.back();  // the sanitizer sees a view outside the file
    (void)last;
  }
  const auto config = read_gguf_config(*contents, "fuzz.gguf");
  const auto tokenizer = read_gguf_tokenizer(*contents, "fuzz.gguf");
  if (config && tokenizer) {
    // What was accepted is accepted again after a round trip.
    expect(static_cast<bool>(validate(*config, "fuzz.gguf")));
    expect(make_gguf_metadata(*config, *tokenizer).num_entries() > 0);
  }
  return 0;
}
