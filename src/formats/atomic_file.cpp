#include "formats/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace kazeia {
namespace {

constexpr size_t kMaxWriteBytes = size_t{1} << 30;  // one call may not write more than 2 GiB on Linux

Error io_error(const std::string& path, const std::string& what, int code) {
  return Error{ErrorCode::io, path + ": " + what + ": " + std::strerror(code)};
}

// So that the new name itself survives a power cut. Some file systems refuse; the file is complete either way.
void flush_folder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const int fd = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  std::error_code unused;
  if (std::filesystem::is_symlink(path, unused) && std::filesystem::exists(path, unused)) {
    return create(std::filesystem::canonical(path, unused).string());  // replace the file, not the link to it
  }
  const auto kind = std::filesystem::status(path, unused).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular) {
    return Error{ErrorCode::io, path + ": expected a file name, found a folder, a device or no access"};
  }
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return AtomicFile(fd, path, temporary);
    if (errno != EEXIST) return io_error(path, "can't create", errno);
  }
  return io_error(path, "can't create a temporary file beside it", EEXIST);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      num_bytes_(other.num_bytes_),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(num_bytes_, other.num_bytes_);
  std::swap(path_, other.path_);
  std::swap(temporary_path_, other.temporary_path_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), std::min(bytes.size(), kMaxWriteBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return io_error(path_, "can't write more than " + std::to_string(num_bytes_) + " bytes",
                      written < 0 ? errno : EIO);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    num_bytes_ += static_cast<uint64_t>(written);
  }
  return ok();
}

Status AtomicFile::commit() {
  if (::fsync(fd_) != 0) return io_error(path_, "can't flush to the disk", errno);
  if (::close(std::exchange(fd_, -1)) != 0) return io_error(path_, "can't close", errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) return io_error(path_, "can't rename to this name", errno);
  temporary_path_.clear();
  flush_folder(path_);
  return ok();
}

}  // namespace kazeia
