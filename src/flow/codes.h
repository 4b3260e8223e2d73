// Codes: what the code predictor hands to the codec. One frame is 80 ms of speech in the published models.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kazeia {

// Upper bound of code groups in a frame (16 in the published models, 4 in the default voice).
inline constexpr int kMaxFrameCodes = 32;

// One frame of speech: codes[0] is semantic (talker), codes[1..K-1] acoustic (code predictor). Control ids such as
// end-of-speech stay inside the talker. Entries from K on are zero.
struct CodeFrame {
  std::array<int32_t, kMaxFrameCodes> codes{};
};

// A run of frames: values [T, K], row-major.
class Codes {
 public:
  Codes() = default;
  explicit Codes(int num_groups) : num_groups_(num_groups) {
    KZ_CHECK(num_groups >= 1 && num_groups <= kMaxFrameCodes);
  }

  int num_groups() const { return num_groups_; }
  int num_frames() const { return num_groups_ == 0 ? 0 : static_cast<int>(values_.size()) / num_groups_; }
  std::span<const int32_t> frame(int index) const {
    return std::span(values_).subspan(static_cast<size_t>(index) * static_cast<size_t>(num_groups_),
                                      static_cast<size_t>(num_groups_));
  }
  std::span<const int32_t> values() const { return values_; }

  void push(const CodeFrame& frame) {
    values_.insert(values_.end(), frame.codes.begin(), frame.codes.begin() + num_groups_);
  }
  void push(std::span<const int32_t> frame) {
    KZ_CHECK(static_cast<int>(frame.size()) == num_groups_);
    values_.insert(values_.end(), frame.begin(), frame.end());
  }
  void clear() { values_.clear(); }

 private:
  int num_groups_ = 0;
  std::vector<int32_t> values_;
};

}  // namespace kazeia
