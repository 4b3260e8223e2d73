// kazeia: text to speech from the command line.
#include <csignal>
#include <cstdio>
#include <string>
#include <variant>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "interrupt.h"

namespace {

void print_log(kazeia::LogLevel level, std::string_view message) {
  const bool is_error = level == kazeia::LogLevel::error;
  if (!is_error && level != kazeia::LogLevel::warning) return;
  std::fprintf(stderr, "kazeia: %s%.*s\n", is_error ? "" : "warning: ", static_cast<int>(message.size()),
               message.data());
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = kazeia::parse_command_line(argc, argv);
  if (const int* exit_code = std::get_if<int>(&parsed)) return *exit_code;

  kazeia::set_log_callback(print_log);
  const auto status =
      std::visit([](const auto& options) { return kazeia::run(options); }, std::get<kazeia::Command>(parsed));
  if (status) return 0;
  std::fprintf(stderr, "kazeia: %s\n", status.error().message.c_str());
  if (kazeia::noted_signal() != 0) std::raise(kazeia::noted_signal());
  return kazeia::kExitFailure;
}
