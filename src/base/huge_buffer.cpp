#include "base/huge_buffer.h"

#include <sys/mman.h>

#include <cstdint>

namespace kazeia {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

Result<HugeBuffer> HugeBuffer::allocate(size_t num_bytes) {
  HugeBuffer buffer;
  if (num_bytes == 0) return buffer;
  const bool large = num_bytes >= kHugePage;
  const size_t mapping_size = large ? num_bytes + kHugePage : num_bytes;
  void* mapping = ::mmap(nullptr, mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return Error{ErrorCode::out_of_memory, "can't allocate " + std::to_string(num_bytes >> 20U) + " MiB"};
  buffer.mapping_ = mapping;
  buffer.mapping_size_ = mapping_size;
  const auto address = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t start = large ? (address + kHugePage - 1) / kHugePage * kHugePage : address;
  buffer.data_ = reinterpret_cast<std::byte*>(start);
  buffer.size_ = num_bytes;
#ifdef MADV_HUGEPAGE
  // Only a wish: without it the buffer works all the same.
  if (large) ::madvise(buffer.data_, num_bytes, MADV_HUGEPAGE);
#endif
  return buffer;
}

HugeBuffer::~HugeBuffer() {
  if (mapping_) ::munmap(mapping_, mapping_size_);
}

Result<HugeArena> HugeArena::allocate(size_t capacity) {
  HugeArena arena;
  KZ_TRY(arena.buffer_, HugeBuffer::allocate(capacity));
  return arena;
}

std::byte* HugeArena::take(size_t num_bytes) {
  KZ_CHECK(used_ + arena_piece(num_bytes) <= buffer_.size());
  std::byte* piece = buffer_.data() + used_;
  used_ += arena_piece(num_bytes);
  return piece;
}

}  // namespace kazeia
