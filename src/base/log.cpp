#include "base/log.h"

#include <mutex>
#include <utility>

namespace kazeia {
namespace {

std::mutex& log_mutex() {
  static std::mutex mutex;
  return mutex;
}

LogCallback& log_callback() {
  static LogCallback callback;
  return callback;
}

}  // namespace

void set_log_callback(LogCallback callback) {
  const std::lock_guard lock(log_mutex());
  log_callback() = std::move(callback);
}

void log(LogLevel level, const std::string& message) {
  const std::lock_guard lock(log_mutex());
  if (log_callback()) log_callback()(level, message);
}

}  // namespace kazeia
