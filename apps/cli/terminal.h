// What the program prints for people: formatted text, tables, a progress line.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kazeia {

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format_text(const char* format, ...);

// "1.3 GB", "17 kB": powers of 1000.
std::string human_bytes(double num_bytes);

// "19,200"
std::string grouped(int64_t number);

// Columns padded to their widest cell, two spaces between them; a row may be shorter than the others.
enum class Align { left, right };
std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<Align>& columns = {});

void print_out(const std::string& text);   // standard output
void print_note(const std::string& line);  // "kazeia: LINE" on stderr

// One line on stderr that changes while work goes on; silent when stderr is no terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void update(const std::string& text);  // shown at most ten times a second
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

// "[=====>    ]"
std::string bar_text(double fraction);

// "[=====>    ] 3.2 s of audio, 1.90 x real time"; without a bar if total_seconds is 0, for unknown.
std::string audio_progress_text(double audio_seconds, double total_seconds, double elapsed_seconds);

}  // namespace kazeia
