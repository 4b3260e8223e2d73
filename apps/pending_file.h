// A file that appears complete or not at all: it is written under a temporary name beside its place, then renamed.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace kazeia {

class PendingFile {
 public:
  // Fails if the folder is missing or not writable, or if the path is a folder. Devices and pipes are opened as they
  // are.
  static Result<PendingFile> create(const std::string& path);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();  // without commit(): deletes what was written

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  bool can_rewind() const { return !temporary_path_.empty(); }

  Status write(std::string_view bytes);
  Status commit();

 private:
  PendingFile() = default;

  std::string path_;            // as the user gave it
  std::string final_path_;      // behind symbolic links
  std::string temporary_path_;  // empty for a device or pipe
  int descriptor_ = -1;
};

// Whether a PendingFile could be created there, without creating one: for an early answer.
Status check_writable(const std::string& path);

// The whole of a small file at once.
Status write_file(const std::string& path, std::string_view bytes);

// All bytes to a descriptor; `name` is what to call it in the Error.
Status write_all(int descriptor, std::string_view bytes, const std::string& name);

}  // namespace kazeia
