// links: kazeia_kernels
// Elementwise kernels, reductions and attention of every table against plain double-precision loops, on sizes around
// the vector widths.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/kernels.h"
#include "support/random_values.h"

namespace kazeia {
namespace {

std::vector<float> random_values(int count, uint32_t seed, float scale = 2.0F) {
  std::mt19937 random(seed);
  return test::random_values(count, scale, random);
}

TEST(ElementwiseKernels, SnakeAddsAScaledSquaredSine) {
  for (const Kernels* k : usable_kernels()) {
    for (const int channels : {1, 3, 4, 7, 8, 9, 17, 96}) {
      const auto x = random_values(5 * channels, 7, 30.0F);
      const auto alpha = random_values(channels, 8);
      const auto inv_beta = random_values(channels, 9);
      std::vector<float> y(x.size());
      k->snake(x.data(), alpha.data(), inv_beta.data(), y.data(), channels, 5);
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t c = i % static_cast<size_t>(channels);
        const double sine = std::sin(double{alpha[c] * x[i]});
        EXPECT_NEAR(y[i], x[i] + inv_beta[c] * sine * sine, 2e-5) << k->isa;  // one float step near 100
      }
    }
  }
}

TEST(ElementwiseKernels, ADepthwiseConvolutionKeepsChannelsApart) {
  for (const Kernels* k : usable_kernels()) {
    const int channels = 19, taps = 7, num_rows = 4;
    const auto x = random_values(channels * (num_rows + taps - 1), 10);
    const auto w = random_values(channels * taps, 11);
    const auto bias = random_values(channels, 12);
    std::vector<float> y(channels * num_rows);
    k->depthwise(x.data(), w.data(), bias.data(), y.data(), channels, taps, num_rows);
    for (int t = 0; t < num_rows; ++t) {
      for (int c = 0; c < channels; ++c) {
        double expected = bias[static_cast<size_t>(c)];
        for (int tap = 0; tap < taps; ++tap)
          expected += double{w[static_cast<size_t>(tap * channels + c)]} *
                      double{x[static_cast<size_t>((t + tap) * channels + c)]};
        EXPECT_NEAR(y[static_cast<size_t>(t * channels + c)], expected, 1e-5) << k->isa;
      }
    }
  }
}

TEST(ElementwiseKernels, GatesActivationsAndReductionsMatchTheirFormulas) {
  for (const Kernels* k : usable_kernels()) {
    for (const int count : {1, 7, 8, 9, 31, 100}) {
      const auto size = static_cast<size_t>(count);
      const auto a = random_values(count, 13, 8.0F);
      const auto b = random_values(count, 14);
      std::vector<float> gated(size), bent(size), exps = a, sums = b;
      k->swiglu(a.data(), b.data(), gated.data(), count);
      k->gelu(a.data(), bent.data(), count);
      k->add_scaled(a.data(), 0.5F, sums.data(), count);
      const double exp_sum = k->softmax_exp(exps.data(), count);
      double highest = a[0], expected_dot = 0, expected_exp_sum = 0;
      for (const float v : a) highest = std::max(highest, double{v});
      for (size_t i = 0; i < size; ++i) {
        const double v = a[i];
        expected_dot += v * b[i];
        expected_exp_sum += std::exp(v - highest);
        EXPECT_NEAR(gated[i], v / (1 + std::exp(-v)) * b[i], 1e-5) << k->isa;
        EXPECT_NEAR(bent[i], 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))), 5e-6)
            << k->isa;  // 1.5e-7 x |v| / 2 and rounding
        EXPECT_NEAR(sums[i], b[i] + 0.5 * v, 1e-5) << k->isa;
        EXPECT_NEAR(exps[i], std::exp(v - highest), 1e-6) << k->isa;
      }
      EXPECT_NEAR(k->dot(a.data(), b.data(), count), expected_dot, 1e-4) << k->isa;
      EXPECT_NEAR(exp_sum, expected_exp_sum, 1e-5) << k->isa;
    }
  }
}

TEST(ElementwiseKernels, RowsAreMultipliedAndAddedWithTheBitsOfOneAtATime) {
  for (const Kernels* k : usable_kernels()) {
    for (const int width : {1, 7, 64, 128, 133}) {
      for (const int num_rows : {1, 3, 4, 8, 17, 35}) {
        const auto x = random_values(width, 17);
        const auto rows = random_values(width * num_rows, 18);
        std::vector<float> products(static_cast<size_t>(num_rows)), expected_products, sums = x, expected_sums = x;
        k->dot_rows(x.data(), rows.data(), width, num_rows, products.data());
        for (int row = 0; row < num_rows; ++row)
          expected_products.push_back(k->dot(x.data(), rows.data() + row * width, width));
        EXPECT_EQ(products, expected_products) << k->isa << ", " << width << " x " << num_rows;

        k->add_rows(rows.data(), products.data(), width, num_rows, sums.data());
        for (int row = 0; row < num_rows; ++row)
          k->add_scaled(rows.data() + row * width, products[static_cast<size_t>(row)], expected_sums.data(), width);
        EXPECT_EQ(sums, expected_sums) << k->isa << ", " << width << " x " << num_rows;
      }
    }
  }
}

}  // namespace
}  // namespace kazeia
