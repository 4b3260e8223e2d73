#include "base/result.h"

#include "base/log.h"

namespace kazeia {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::bad_model: return "bad_model";
    case ErrorCode::io: return "io";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::device: return "device";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

void check_failed(const char* condition, const char* file, int line) {
  log(LogLevel::error,
      std::string("internal error: ") + condition + " is false at " + file + ":" + std::to_string(line));
  std::abort();
}

}  // namespace kazeia
