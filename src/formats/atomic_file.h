// A file that appears complete or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kazeia {

// Bytes go to a temporary file in the same folder; commit() flushes it to the disk and gives it the name `path`,
// replacing a file that was there. Without commit() the destructor removes the temporary file. A symbolic link stays
// one: the file behind it is replaced. Devices and pipes are written as they are.
class AtomicFile {
 public:
  // Errors name the path: a folder in its place, no permission, no such folder.
  static Result<AtomicFile> create(const std::string& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // A full disk is an Error that says how many bytes fitted.
  Status write(std::span<const std::byte> bytes);
  Status commit();

  uint64_t num_bytes() const { return num_bytes_; }  // of write()
  const std::string& path() const { return path_; }

  // For a library that writes by itself; it leaves the descriptor open.
  int descriptor() const { return descriptor_; }
  bool can_rewind() const { return !temporary_path_.empty(); }

 private:
  AtomicFile() = default;

  std::string path_;            // as the user gave it
  std::string final_path_;      // behind symbolic links
  std::string temporary_path_;  // empty for a device or pipe
  uint64_t num_bytes_ = 0;
  int descriptor_ = -1;
};

// Whether an AtomicFile could be created there, without creating one: for an early answer.
Status check_writable(const std::string& path);

// The whole of a small file at once.
Status write_file(const std::string& path, std::string_view text);

// All bytes to a descriptor that took `num_before` already; `name` is what to call it in the Error.
Status write_all(int descriptor, std::span<const std::byte> bytes, const std::string& name, uint64_t num_before = 0);

}  // namespace kazeia
