// Memory for data that is streamed through again and again: large pages where the system gives them, which raises the
// read bandwidth of weights by up to half (docs/performance.md).
#pragma once
#include <cstddef>
#include <utility>

#include "base/result.h"

namespace kazeia {

class HugeBuffer {
 public:
  HugeBuffer() = default;
  // Zero-filled. From 2 MiB on it starts at a multiple of 2 MiB, the size of a large page.
  static Result<HugeBuffer> allocate(size_t num_bytes);

  HugeBuffer(HugeBuffer&& other) noexcept { swap(other); }
  HugeBuffer& operator=(HugeBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~HugeBuffer();

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void swap(HugeBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_size_, other.mapping_size_);
  }

  std::byte* data_ = nullptr;
  size_t size_ = 0;
  void* mapping_ = nullptr;  // as mapped, a large page longer than needed
  size_t mapping_size_ = 0;
};

// One HugeBuffer cut into pieces: many small tensors share its large pages.
class HugeArena {
 public:
  // capacity: what the pieces need, each rounded up by arena_piece().
  static Result<HugeArena> allocate(size_t capacity);
  // The next piece, aligned to a cache line. The pieces together must fit.
  std::byte* take(size_t num_bytes);

 private:
  HugeBuffer buffer_;
  size_t used_ = 0;
};

inline constexpr size_t arena_piece(size_t num_bytes) { return (num_bytes + 63) / 64 * 64; }

}  // namespace kazeia
