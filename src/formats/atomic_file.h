// A file that appears complete or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace kazeia {

// Bytes go to a temporary file in the same folder; commit() flushes it to the disk and gives it the name `path`,
// replacing a file that was there. Without commit() the destructor removes the temporary file.
class AtomicFile {
 public:
  // Errors name the path: a folder or device in its place, no permission, no such folder.
  static Result<AtomicFile> create(const std::string& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  // A full disk is an Error that says how many bytes fitted.
  Status write(std::span<const std::byte> bytes);
  Status commit();

  uint64_t num_bytes() const { return num_bytes_; }
  const std::string& path() const { return path_; }

 private:
  AtomicFile(int fd, std::string path, std::string temporary_path)
      : fd_(fd), path_(std::move(path)), temporary_path_(std::move(temporary_path)) {}

  int fd_ = -1;
  uint64_t num_bytes_ = 0;
  std::string path_;
  std::string temporary_path_;  // empty after commit()
};

}  // namespace kazeia
