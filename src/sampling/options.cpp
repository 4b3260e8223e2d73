// Which sampling options make sense.
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "sampling/sampling.h"

namespace kazeia {

namespace {

std::string text_of(float value) {
  std::array<char, 32> text{};  // the longest float takes 15
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

Error wrong(const char* which, const char* name, const char* expected, const std::string& found) {
  return {ErrorCode::invalid_argument,
          std::string(which) + ": " + name + ": expected " + expected + ", found " + found};
}

bool finite_and_positive(float value) { return std::isfinite(value) && value > 0; }

}  // namespace

Status validate(const SamplingDefaults& options, const char* which) {
  // Greedy needs no temperature; files that switch sampling off often say 0.
  if (options.do_sample && !finite_and_positive(options.temperature)) {
    return wrong(which, "temperature", "a finite number above 0 (for the most likely code: greedy)",
                 text_of(options.temperature));
  }
  if (options.top_k < 0) return wrong(which, "top_k", "0 (off) or more", std::to_string(options.top_k));
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    return wrong(which, "top_p", "a number above 0 and at most 1 (off)", text_of(options.top_p));
  }
  if (!finite_and_positive(options.repetition_penalty)) {
    return wrong(which, "repetition_penalty", "a finite number above 0 (1: off)", text_of(options.repetition_penalty));
  }
  return ok();
}

}  // namespace kazeia
