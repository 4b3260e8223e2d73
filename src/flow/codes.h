// Codes: what the code predictor hands to the codec. One frame is 80 ms of speech in the published models.
#pragma once
#include <array>
#include <cstdint>

namespace kazeia {

// Upper bound of code groups in a frame (16 in the published models, 4 in the default voice).
inline constexpr int kMaxFrameCodes = 32;

// One frame of speech: codes[0] is semantic (talker), codes[1..K-1] acoustic (code predictor). Control ids such as
// end-of-speech stay inside the talker. Entries from K on are zero.
struct CodeFrame {
  std::array<int32_t, kMaxFrameCodes> codes{};
};

}  // namespace kazeia
