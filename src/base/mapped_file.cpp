#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kazeia {
namespace {

Error io_error(const std::string& path, const char* what) {
  return Error{ErrorCode::io, path + ": " + what + ": " + std::strerror(errno)};
}

// Closes the descriptor when the scope ends, unless it was taken.
struct Descriptor {
  int fd;
  int take() { return std::exchange(fd, -1); }
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return io_error(path, "can't open");
  struct stat info = {};
  if (::fstat(file.fd, &info) != 0) return io_error(path, "can't read its size");
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::io, path + ": expected a file, found a folder or device"};
  if (info.st_size == 0) return Error{ErrorCode::bad_model, path + ": the file is empty"};
  const auto size = static_cast<size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return io_error(path, "can't map into memory");
  return MappedFile(file.take(), static_cast<const std::byte*>(data), size, path);
}

void MappedFile::copy(std::span<const std::byte> part, std::byte* to) const {
  auto offset = static_cast<off_t>(part.data() - data_);
  while (!part.empty()) {
    const ssize_t count = ::pread(descriptor_, to, part.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    part = part.subspan(static_cast<size_t>(count));
    to += count;
    offset += count;
  }
  std::copy(part.begin(), part.end(), to);  // what the system did not read, as any other mapped byte
}

void MappedFile::release(std::span<const std::byte> part) const {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      path_(std::move(other.path_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace kazeia
