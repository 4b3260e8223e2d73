// How a function says that the outside world failed it. Part of the public API.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace kazeia {

enum class ErrorCode { invalid_argument, bad_model, io, unsupported, out_of_memory, device, cancelled, internal };

// The word for a code in messages and in the C API: "bad_model".
const char* error_code_name(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // for the user: what failed, on which file or tensor, expected and found
};

// A value or the Error that prevented it. Bugs are not Errors: see KZ_CHECK.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

// Prints the failed condition and aborts: a broken promise inside the library, never a user's mistake.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace kazeia

#define KZ_CONCAT_IMPL(a, b) a##b
#define KZ_CONCAT(a, b) KZ_CONCAT_IMPL(a, b)

// KZ_TRY(auto model, load(path)); binds the value, or returns the Error to the caller. A statement of its own.
#define KZ_TRY(lhs, expr) KZ_TRY_IMPL(KZ_CONCAT(kz_result_, __LINE__), lhs, expr)
#define KZ_TRY_IMPL(tmp, lhs, expr)        \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  lhs = *std::move(tmp)

// KZ_RETURN_IF_ERROR(check(config)); the same for a Status.
#define KZ_RETURN_IF_ERROR(expr)                                                     \
  do {                                                                               \
    if (auto kz_status_ = (expr); !kz_status_) return std::move(kz_status_).error(); \
  } while (false)

// For bugs: always checked, aborts with the place.
#define KZ_CHECK(condition)                                                   \
  do {                                                                        \
    if (!(condition)) ::kazeia::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)

// For bugs in hot loops: checked in debug builds only.
#ifdef NDEBUG
#define KZ_ASSERT(condition) ((void)0)
#else
#define KZ_ASSERT(condition) KZ_CHECK(condition)
#endif
