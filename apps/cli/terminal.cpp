#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace kazeia {
namespace {

// Columns that a UTF-8 text takes, near enough: continuation bytes take none.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string format_text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(static_cast<size_t>(std::max(length, 0)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

std::string human_bytes(double num_bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (num_bytes >= 999.5 && unit + 1 < std::size(units)) {
    num_bytes /= 1000;
    ++unit;
  }
  return format_text(unit > 0 && num_bytes < 9.95 ? "%.1f %s" : "%.0f %s", num_bytes, units[unit]);
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& columns) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool right = i < columns.size() && columns[i] == Align::right;
      line += (i == 0 ? "" : "  ") + (right ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

void print_out(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_note(const std::string& line) { std::fprintf(stderr, "kazeia: %s\n", line.c_str()); }

std::string bar_text(double fraction) {
  constexpr size_t kWidth = 30;
  const auto filled = static_cast<size_t>(std::clamp(fraction, 0.0, 1.0) * kWidth);
  std::string text = "[" + std::string(filled, '=') + (filled < kWidth ? ">" : "");
  text.resize(1 + kWidth, ' ');
  return text + "]";
}

std::string audio_progress_text(double audio_seconds, double total_seconds, double elapsed_seconds) {
  const std::string bar = total_seconds > 0 ? bar_text(audio_seconds / total_seconds) + " " : "";
  const double speed = elapsed_seconds > 0 ? audio_seconds / elapsed_seconds : 0;
  return bar + format_text("%.1f s of audio, %.2f x real time", audio_seconds, speed);
}

StatusLine::StatusLine() : enabled_(isatty(STDERR_FILENO) == 1) {}

void StatusLine::update(const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void StatusLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace kazeia
