#include "formats/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kazeia {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxWriteBytes = size_t{1} << 30;  // one call may not write more than 2 GiB on Linux

Error io_error(const std::string& path, const std::string& what) { return {ErrorCode::io, path + ": " + what}; }

std::string reason() { return std::strerror(errno); }

enum class Kind { absent, regular, folder, other };

Kind kind_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return Kind::absent;
  if (S_ISREG(info.st_mode)) return Kind::regular;
  return S_ISDIR(info.st_mode) ? Kind::folder : Kind::other;
}

// The file behind symbolic links, so that a link to a file stays a link.
std::string resolved(const std::string& path) {
  std::error_code ignored;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// So that the new name itself survives a power cut. Some file systems refuse; the file is complete either way.
void flush_folder(const std::string& path) {
  const int descriptor = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

Status check_writable(const std::string& path) {
  if (path.empty()) return Error{ErrorCode::invalid_argument, "the output file has an empty name"};
  const Kind kind = kind_of(path);
  if (kind == Kind::folder || path.back() == '/') return io_error(path, "is a folder; expected the name of a file");
  if (kind == Kind::other) return ok();
  const std::string folder = folder_of(resolved(path));
  if (kind_of(folder) != Kind::folder) return io_error(path, "the folder '" + folder + "' does not exist");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return io_error(path, "can't write into '" + folder + "': " + reason());
  return ok();
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  KZ_RETURN_IF_ERROR(check_writable(path));
  AtomicFile file;
  file.path_ = path;
  if (kind_of(path) == Kind::other) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return io_error(path, "can't open it for writing: " + reason());
    return file;
  }
  file.final_path_ = resolved(path);
  const std::string name = fs::path(file.final_path_).filename().string();
  // The name is cut so that a long one still fits with its additions.
  std::string temporary = folder_of(file.final_path_) + "/." + name.substr(0, 200) + "." + std::to_string(::getpid());
  for (int attempt = 0; attempt < 100 && file.descriptor_ < 0; ++attempt) {
    file.temporary_path_ = temporary + "-" + std::to_string(attempt) + ".part";
    file.descriptor_ = ::open(file.temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.descriptor_ < 0 && errno != EEXIST) break;
  }
  if (file.descriptor_ >= 0) return file;
  const std::string why = reason();
  file.temporary_path_.clear();  // not ours to delete
  return io_error(path, "can't create a file in '" + folder_of(file.final_path_) + "': " + why);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      final_path_(std::move(other.final_path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      num_bytes_(other.num_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  KZ_RETURN_IF_ERROR(write_all(descriptor_, bytes, path_, num_bytes_));
  num_bytes_ += bytes.size();
  return ok();
}

Status AtomicFile::commit() {
  if (can_rewind() && ::fsync(descriptor_) != 0) return io_error(path_, "can't flush to the disk: " + reason());
  if (::close(std::exchange(descriptor_, -1)) != 0) return io_error(path_, "can't write: " + reason());
  if (!can_rewind()) return ok();
  if (::rename(temporary_path_.c_str(), final_path_.c_str()) != 0) return io_error(path_, "can't rename: " + reason());
  temporary_path_.clear();
  flush_folder(final_path_);
  return ok();
}

Status write_file(const std::string& path, std::string_view text) {
  KZ_TRY(AtomicFile file, AtomicFile::create(path));
  KZ_RETURN_IF_ERROR(file.write(std::as_bytes(std::span(text))));
  return file.commit();
}

Status write_all(int descriptor, std::span<const std::byte> bytes, const std::string& name, uint64_t num_before) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMaxWriteBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const std::string why = written < 0 ? reason() : std::strerror(EIO);
      return io_error(name, "can't write more than " + std::to_string(num_before) + " bytes: " + why);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    num_before += static_cast<uint64_t>(written);
  }
  return ok();
}

}  // namespace kazeia
