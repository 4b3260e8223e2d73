// The engine's weight layouts (formats/tensor_manifest.h) and the official ones, by their definitions.
#pragma once
#include <cstdint>
#include <vector>

namespace kazeia::reference {

// Conv1d [out, in, taps] -> [taps, out, in]; depthwise convs have in = 1.
inline std::vector<float> conv_taps(const std::vector<float>& official, int64_t out, int64_t in, int64_t taps) {
  std::vector<float> ours(official.size());
  for (int64_t k = 0; k < taps; ++k)
    for (int64_t oi = 0; oi < out * in; ++oi)
      ours[static_cast<size_t>(k * out * in + oi)] = official[static_cast<size_t>(oi * taps + k)];
  return ours;
}

inline std::vector<float> official_conv(const std::vector<float>& ours, int64_t out, int64_t in, int64_t taps) {
  return conv_taps(ours, taps, 1, out * in);  // a transposition of a [taps, out * in] matrix
}

// Calls f(ours, official) with the two indices of each entry of ConvTranspose1d [in, out, taps * stride] and of our
// [taps, stride * out, in].
template <class F>
void for_each_transposed_tap(int64_t out, int64_t in, int64_t stride, int64_t taps, F f) {
  size_t ours = 0;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t r = 0; r < stride; ++r)
      for (int64_t o = 0; o < out; ++o)
        for (int64_t i = 0; i < in; ++i)
          f(ours++, static_cast<size_t>((i * out + o) * taps * stride + (taps - 1 - tap) * stride + r));
}

inline std::vector<float> transposed_conv_taps(const std::vector<float>& official, int64_t out, int64_t in,
                                               int64_t stride, int64_t taps) {
  std::vector<float> result(official.size());
  for_each_transposed_tap(out, in, stride, taps, [&](size_t ours, size_t theirs) { result[ours] = official[theirs]; });
  return result;
}

inline std::vector<float> official_transposed_conv(const std::vector<float>& ours_values, int64_t out, int64_t in,
                                                   int64_t stride, int64_t taps) {
  std::vector<float> result(ours_values.size());
  for_each_transposed_tap(out, in, stride, taps,
                          [&](size_t ours, size_t theirs) { result[theirs] = ours_values[ours]; });
  return result;
}

}  // namespace kazeia::reference
