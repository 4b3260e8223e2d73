#include "base/huge_buffer.h"

#include <sys/mman.h>

namespace kazeia {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

Result<HugeBuffer> HugeBuffer::allocate(size_t num_bytes) {
  HugeBuffer buffer;
  if (num_bytes == 0) return buffer;
  void* data = ::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return Error{ErrorCode::out_of_memory, "can't allocate " + std::to_string(num_bytes >> 20U) + " MiB"};
  buffer.data_ = static_cast<std::byte*>(data);
  buffer.size_ = num_bytes;
#ifdef MADV_HUGEPAGE
  // Only a wish: without it the buffer works all the same. Small buffers would waste most of a large page.
  if (num_bytes >= kHugePage) ::madvise(data, num_bytes, MADV_HUGEPAGE);
#endif
  return buffer;
}

HugeBuffer::~HugeBuffer() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace kazeia
