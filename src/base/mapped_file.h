// A whole file mapped read-only into memory; pages are read when first touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace kazeia {

class MappedFile {
 public:
  // Errors name the path: missing, unreadable, a folder, empty.
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // Copies a part of bytes() by reading the file, so that no page of it enters this process. A touch of a mapped page
  // brings in many around it, which is dear where few rows of a large table are used.
  void copy(std::span<const std::byte> part, std::byte* to) const;
  // Lets the pages that lie wholly in `part` leave memory; they are read again if they are touched again.
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile(int descriptor, const std::byte* data, size_t size, std::string path)
      : descriptor_(descriptor), data_(data), size_(size), path_(std::move(path)) {}

  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::string path_;
};

}  // namespace kazeia
