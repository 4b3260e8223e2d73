// Convolutions of bf16 pairs in every table against plain double-precision loops over rounded values.
// links: kazeia_kernels
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "kernels/kernels.h"
#include "kernels/pack.h"

namespace kazeia {
namespace {

std::vector<float> random_values(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<float> values(count);
  for (float& v : values) v = normal(engine);
  return values;
}

float from_bfloat(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16U); }

uint16_t round_one(const Kernels& k, float x) {
  uint16_t rounded[2];
  k.round_row(&x, 1, rounded);
  return rounded[0];
}

// Rows of `count` values, each rounded to a row of an even length, which is returned as the stride.
size_t round_rows(const Kernels& k, const std::vector<float>& x, size_t count, std::vector<uint16_t>& rounded) {
  const size_t stride = count + count % 2;
  rounded.assign(x.size() / count * stride, 0xFFFF);  // what is not written shows as a NaN
  for (size_t row = 0; row < x.size() / count; ++row)
    k.round_row(x.data() + row * count, static_cast<int>(count), rounded.data() + row * stride);
  return stride;
}

// A convolution's operands in the table's order.
struct Operands {
  Operands(const Kernels& k, const ConvShape& s, int num_rows) : shape(s) {
    const auto channels = static_cast<size_t>(s.in_channels), outputs = static_cast<size_t>(s.out_channels);
    const auto taps = static_cast<size_t>(s.taps);
    x_stride = round_rows(k, random_values(static_cast<size_t>(num_rows + (s.taps - 1) * s.dilation) * channels, 1),
                          channels, x);
    round_rows(k, random_values(taps * outputs * channels, 2), channels, w);
    bias = random_values(outputs, 3);
    packed.resize(packed_pairs_bytes(s, k.panel_columns));
    for (int tap = 0; tap < s.taps; ++tap)
      pack_pairs(w.data() + static_cast<size_t>(tap) * outputs * x_stride, tap, s, k.panel_columns, packed.data());
  }

  double expected(int row, int out) const {
    double sum = bias[static_cast<size_t>(out)];
    for (int tap = 0; tap < shape.taps; ++tap) {
      const uint16_t* x_row = x.data() + static_cast<size_t>(row + tap * shape.dilation) * x_stride;
      const uint16_t* w_row = w.data() + static_cast<size_t>(tap * shape.out_channels + out) * x_stride;
      for (int c = 0; c < shape.in_channels; ++c) sum += double{from_bfloat(x_row[c])} * double{from_bfloat(w_row[c])};
    }
    return sum;
  }

  void run(const Kernels& k, const ConvRange& range, const ConvOutput& out) const {
    k.conv_pairs(x.data(), static_cast<int64_t>(x_stride), packed.data(), bias.data(), shape, range, out);
  }

  ConvShape shape;
  size_t x_stride = 0;
  std::vector<uint16_t> x, w;  // [rows, stride], [taps, N, stride]
  std::vector<float> bias;
  std::vector<std::byte> packed;
};

TEST(Bf16Kernels, ValuesAreRoundedToTheNearestAndTiesToEven) {
  const std::pair<float, uint16_t> cases[] = {
      {1.0F, 0x3F80},          {-2.5F, 0xC020},          {0x1.01p0F, 0x3F80},  // a tie: down to even
      {0x1.03p0F, 0x3F82},                                                     // a tie: up to even
      {0x1.010002p0F, 0x3F81}, {0x1.00FFFEp0F, 0x3F80},  {0.0F, 0x0000},
      {-0.0F, 0x8000},         {0x1.FFFFFEp127F, 0x7F80}};  // the largest float rounds to infinity
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Kernels* k : usable_kernels()) {
    for (const auto& [value, expected] : cases) EXPECT_EQ(round_one(*k, value), expected) << k->isa << " " << value;
    EXPECT_EQ(round_one(*k, infinity), 0x7F80) << k->isa;
    EXPECT_EQ(round_one(*k, -infinity), 0xFF80) << k->isa;
    EXPECT_TRUE(std::isnan(from_bfloat(round_one(*k, std::nanf(""))))) << k->isa;
    EXPECT_TRUE(std::isnan(from_bfloat(round_one(*k, std::bit_cast<float>(0x7FFFFFFFU))))) << k->isa;
  }
}

TEST(Bf16Kernels, EveryTableRoundsRowsOfAnyLengthAsTheScalarOne) {
  for (const Kernels* k : usable_kernels()) {
    for (const size_t count : {1U, 2U, 3U, 7U, 8U, 9U, 16U, 17U, 33U}) {
      const auto x = random_values(3 * count, 4);
      std::vector<uint16_t> found, expected;
      round_rows(*k, x, count, found);
      round_rows(scalar_kernels, x, count, expected);
      EXPECT_EQ(found, expected) << k->isa << " count " << count;
    }
  }
}

TEST(Bf16Kernels, AConvolutionIsTheSumOfTheRoundedProducts) {
  const ConvShape shapes[] = {{1, 1, 1, 1},   {96, 1, 7, 1},   {5, 24, 7, 3},
                              {24, 25, 2, 1}, {301, 47, 3, 9}, {16, 96, 7, 9}};
  for (const Kernels* k : usable_kernels()) {
    for (const ConvShape& s : shapes) {
      for (const int num_rows : {1, 2, 3, 7, 65}) {
        SCOPED_TRACE(std::string(k->isa) + " C " + std::to_string(s.in_channels) + " N " +
                     std::to_string(s.out_channels) + " rows " + std::to_string(num_rows));
        const Operands operands(*k, s, num_rows);
        std::vector<float> y(static_cast<size_t>(num_rows * s.out_channels), 0.5F);
        operands.run(*k, {0, num_rows, 0, num_panels(s.out_channels, k->panel_columns)},
                     {.y = y.data(), .residual = y.data(), .stride = s.out_channels});
        for (int row = 0; row < num_rows; ++row) {
          for (int n = 0; n < s.out_channels; ++n) {
            // Products are exact. Rounding of 900 additions to sums near 50: about 1e-4 at one standard deviation.
            EXPECT_NEAR(y[static_cast<size_t>(row * s.out_channels + n)], operands.expected(row, n) + 0.5, 5e-4);
          }
        }
      }
    }
  }
}

TEST(Bf16Kernels, AConvolutionGivesTheSnakeOfItsOutputsToo) {
  const ConvShape s{23, 29, 3, 2};
  const int num_rows = 9;
  for (const Kernels* k : usable_kernels()) {
    const Operands operands(*k, s, num_rows);
    const auto alpha = random_values(29, 5), inv_beta = random_values(29, 6);
    std::vector<float> y(num_rows * 29), snaked(y.size()), expected(y.size());
    operands.run(
        *k, {0, num_rows, 0, num_panels(29, k->panel_columns)},
        {.y = y.data(), .snaked = snaked.data(), .alpha = alpha.data(), .inv_beta = inv_beta.data(), .stride = 29});
    k->snake(y.data(), alpha.data(), inv_beta.data(), expected.data(), 29, num_rows);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(snaked[i], expected[i], 1e-5) << k->isa;
  }
}

TEST(Bf16Kernels, TheSplitOfAConvolutionOverRowsAndPanelsChangesNoBit) {
  const ConvShape s{41, 60, 3, 2};
  const int num_rows = 23;
  for (const Kernels* k : usable_kernels()) {
    const Operands operands(*k, s, num_rows);
    std::vector<float> whole(num_rows * 60), parts(num_rows * 60);
    const int panels = num_panels(60, k->panel_columns);
    operands.run(*k, {0, num_rows, 0, panels}, {.y = whole.data(), .stride = 60});
    for (int panel = 0; panel < panels; ++panel)
      for (int row = 0; row < num_rows; ++row)
        operands.run(*k, {row, row + 1, panel, panel + 1}, {.y = parts.data(), .stride = 60});
    EXPECT_EQ(whole, parts) << k->isa;
  }
}

}  // namespace
}  // namespace kazeia
