// The random numbers of a draw: uniform and Gumbel noise, the same bits on every machine.
#include <cmath>

#include "sampling/philox.h"
#include "sampling/sampling.h"

namespace kazeia {

namespace {

// Natural logarithm of a positive, normal x; relative error about 1e-16. libm's log may differ by an ulp between
// machines, and an ulp can change which id wins a draw; +, *, / and frexp can't.
double portable_log(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // [1/2, 1)
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  // log(m) = 2 atanh(s) with s = (m - 1) / (m + 1), |s| <= 0.1716: the series term after s^21 is below 1e-19 relative.
  const double s = (mantissa - 1) / (mantissa + 1);
  const double z = s * s;
  constexpr double kSeries[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double series = 0;
  for (const double coefficient : kSeries) series = series * z + coefficient;
  return 2 * s * series + exponent * kLn2;
}

}  // namespace

double uniform(const DrawKey& key, uint32_t index) {
  const PhiloxKey philox_key = {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)};
  const PhiloxCounter block = philox({index / 4, key.codebook, key.frame, 0}, philox_key);
  return (block[index % 4] + 0.5) * 0x1p-32;
}

float gumbel(const DrawKey& key, uint32_t index) {
  return static_cast<float>(-portable_log(-portable_log(uniform(key, index))));
}

}  // namespace kazeia
