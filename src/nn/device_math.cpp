#include "nn/device_math.h"

#include <numbers>
#include <span>

namespace kazeia::nn {
namespace {

// scale * x + offset
Tensor affine(Graph& g, Tensor x, float scale, float offset) {
  return {ggml_scale_bias(g.context(), x.node, scale, offset)};
}

// coefficients[0] * x^n + .. + coefficients[n - 1] * x: no constant term.
Tensor polynomial(Graph& g, Tensor x, std::span<const float> coefficients) {
  Tensor sum = affine(g, x, coefficients[0], coefficients[1]);
  for (const float coefficient : coefficients.subspan(2)) sum = affine(g, mul(g, sum, x), 1.0F, coefficient);
  return mul(g, sum, x);
}

}  // namespace

// With u = x / pi: sin(x)^2 = sin(pi (u - n))^2 for every integer n. Adding 1.5 * 2^23 leaves a float no room for a
// fraction, so taking it away again gives an integer within 1 of u, whichever way the device rounds. So r = u - n lies
// in [-1, 1]; s = sin(pi r / 2)^2 is a polynomial of r^2 there (the best of degree 5: within 7e-7), and
// sin(pi r)^2 = 4 s (1 - s).
Tensor sine_squared(Graph& g, Tensor x) {
  constexpr float kNoFraction = 12582912.0F;
  constexpr float kHalfAngle[] = {0.010333297774F, -0.114946380258F, 0.666303515434F, -2.029071331024F,
                                  2.467381238937F};
  constexpr auto kPerPi = static_cast<float>(1.0 / std::numbers::pi);
  const Tensor u = affine(g, x, kPerPi, 0.0F);
  const Tensor n = affine(g, affine(g, u, 1.0F, kNoFraction), 1.0F, -kNoFraction);
  const Tensor r{ggml_sub(g.context(), u.node, n.node)};
  const Tensor s = polynomial(g, {ggml_sqr(g.context(), r.node)}, kHalfAngle);
  return mul(g, affine(g, s, -4.0F, 4.0F), s);
}

// x erf(x / sqrt 2) = a erf(a / sqrt 2) with a = |x|, and erf(z) = 1 - P(1 / (1 + p z)) exp(-z^2) within 1.5e-7
// (Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26).
Tensor gelu_of_exp(Graph& g, Tensor x) {
  constexpr float kP[] = {1.061405429F, -1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F};
  constexpr auto kSlope = static_cast<float>(0.3275911 / std::numbers::sqrt2);
  ggml_context* ctx = g.context();
  const Tensor square{ggml_sqr(ctx, x.node)};
  const Tensor a{ggml_sqrt(ctx, square.node)};
  const Tensor one = affine(g, a, 0.0F, 1.0F);
  const Tensor t{ggml_div(ctx, one.node, affine(g, a, kSlope, 1.0F).node)};
  const Tensor bell{ggml_exp(ctx, affine(g, square, -0.5F, 0.0F).node)};
  const Tensor missing = mul(g, a, mul(g, polynomial(g, t, kP), bell));  // of a erf(a / sqrt 2) to a
  const Tensor twice{ggml_sub(ctx, add(g, x, a).node, missing.node)};
  return affine(g, twice, 0.5F, 0.0F);
}

}  // namespace kazeia::nn
