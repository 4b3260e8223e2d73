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
  // Zero-filled, aligned to a page at least.
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
  }

  std::byte* data_ = nullptr;
  size_t size_ = 0;  // as mapped
};

}  // namespace kazeia
