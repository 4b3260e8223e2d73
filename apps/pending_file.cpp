#include "pending_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kazeia {
namespace {

namespace fs = std::filesystem;

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

Result<PendingFile> PendingFile::create(const std::string& path) {
  KZ_RETURN_IF_ERROR(check_writable(path));
  PendingFile file;
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

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      final_path_(std::move(other.final_path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_path_.empty()) ::unlink(temporary_path_.c_str());
}

Status PendingFile::write(std::string_view bytes) { return write_all(descriptor_, bytes, path_); }

Status PendingFile::commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  std::string why;
  if (::close(descriptor) != 0) why = reason();
  if (temporary_path_.empty()) return why.empty() ? ok() : io_error(path_, "can't write: " + why);
  if (why.empty() && ::rename(temporary_path_.c_str(), final_path_.c_str()) == 0) return ok();
  if (why.empty()) why = reason();
  ::unlink(temporary_path_.c_str());
  return io_error(path_, "can't write: " + why);
}

Status write_file(const std::string& path, std::string_view bytes) {
  KZ_TRY(PendingFile file, PendingFile::create(path));
  KZ_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

Status write_all(int descriptor, std::string_view bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error(name, "can't write: " + reason());
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return ok();
}

}  // namespace kazeia
