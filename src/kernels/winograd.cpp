#include "kernels/winograd.h"

#include <algorithm>
#include <cmath>

namespace kazeia {
namespace {

constexpr int kFinite = Winograd::kProducts - 1;  // points but infinity

std::array<double, kFinite> finite_points() {
  std::array<double, kFinite> points{};
  for (size_t i = 0; i < Winograd::kPairs; ++i) {
    points[2 * i] = Winograd::kPoints[i];
    points[2 * i + 1] = -Winograd::kPoints[i];
  }
  return points;  // the last one is zero
}

// How a filter's taps add up to its value at a point, divided by what interpolation would divide by.
std::array<float, Winograd::kTaps> tap_factors(int product) {
  std::array<float, Winograd::kTaps> factors{};
  if (product == kFinite) {
    factors.back() = 1.0F;
    return factors;
  }
  const auto points = finite_points();
  const double point = points[static_cast<size_t>(product)];
  double divisor = 1.0;
  for (const double other : points)
    if (other != point) divisor *= point - other;
  for (size_t k = 0; k < factors.size(); ++k)
    factors[k] = static_cast<float>(std::pow(point, static_cast<double>(k)) / divisor);
  return factors;
}

}  // namespace

void Winograd::filter_values(std::span<const float> w, int product, std::span<float> u) {
  const auto factors = tap_factors(product);
  std::fill(u.begin(), u.end(), 0.0F);
  for (size_t k = 0; k < factors.size(); ++k) {
    const auto tap = w.subspan(k * u.size(), u.size());
    for (size_t i = 0; i < u.size(); ++i) u[i] += factors[k] * tap[i];
  }
}

}  // namespace kazeia
