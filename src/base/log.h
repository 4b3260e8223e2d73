// Messages from the library: levels and one replaceable callback. No other file of src/ prints.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace kazeia {

enum class LogLevel { debug, info, warning, error };

using LogCallback = std::function<void(LogLevel, std::string_view message)>;

// Replaces the callback (empty: silence, which is the start value). Thread-safe; the library's only global state.
void set_log_callback(LogCallback callback);

// One line without a newline. Thread-safe.
void log(LogLevel level, const std::string& message);

}  // namespace kazeia
