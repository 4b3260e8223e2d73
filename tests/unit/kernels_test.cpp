// links: kazeia_kernels
// Every table of kernels against plain double-precision loops, on sizes around the vector widths.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <thread>

#include "kernels/pack.h"
#include "kernels/self_test.h"

namespace kazeia {
namespace {

std::vector<float> random_values(size_t count, uint32_t seed, float scale = 1.0F) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.0F, scale);
  std::vector<float> values(count);
  for (float& v : values) v = normal(engine);
  return values;
}

void naive_conv(const float* x, int64_t x_stride, const std::vector<float>& w, const std::vector<float>& bias,
                const ConvShape& s, int row, std::vector<double>& out) {
  for (int n = 0; n < s.out_channels; ++n) {
    double sum = bias[static_cast<size_t>(n)];
    for (int k = 0; k < s.taps; ++k) {
      for (int c = 0; c < s.in_channels; ++c) {
        const size_t at = (static_cast<size_t>(k) * static_cast<size_t>(s.out_channels) + static_cast<size_t>(n)) *
                              static_cast<size_t>(s.in_channels) +
                          static_cast<size_t>(c);
        sum += double{w[at]} * double{x[(row + k * s.dilation) * x_stride + c]};
      }
    }
    out[static_cast<size_t>(n)] = sum;
  }
}

std::vector<std::byte> pack(const std::vector<float>& w, const ConvShape& s, const Kernels& k) {
  std::vector<std::byte> packed(packed_conv_bytes(ConvType::f32, s, k.panel_columns));
  pack_conv(std::as_bytes(std::span(w)).data(), ConvType::f32, s, k.panel_columns, packed.data());
  return packed;
}

TEST(Kernels, AConvolutionIsTheSumOverTapsAndChannels) {
  const ConvShape shapes[] = {{1, 1, 1, 1},   {96, 1, 7, 1},   {5, 24, 7, 3},
                              {24, 25, 2, 1}, {300, 47, 3, 9}, {16, 96, 7, 9}};
  for (const Kernels* k : usable_kernels()) {
    for (const ConvShape& s : shapes) {
      for (const int num_rows : {1, 2, 3, 7, 65}) {
        SCOPED_TRACE(std::string(k->isa) + " C " + std::to_string(s.in_channels) + " N " +
                     std::to_string(s.out_channels) + " rows " + std::to_string(num_rows));
        const int64_t x_stride = s.in_channels + 1;  // misaligned rows
        const auto context = static_cast<size_t>((s.taps - 1) * s.dilation);
        const auto x = random_values((static_cast<size_t>(num_rows) + context) * static_cast<size_t>(x_stride), 1);
        const auto w = random_values(static_cast<size_t>(s.taps * s.out_channels * s.in_channels), 2);
        const auto bias = random_values(static_cast<size_t>(s.out_channels), 3);
        const auto packed = pack(w, s, *k);
        std::vector<float> y(static_cast<size_t>(num_rows * s.out_channels), 0.5F);
        const ConvRange all{0, num_rows, 0, num_panels(s.out_channels, k->panel_columns)};
        k->conv(x.data(), x_stride, {packed.data(), ConvType::f32, bias.data()}, s, all,
                {.y = y.data(), .residual = y.data(), .stride = s.out_channels});
        std::vector<double> expected(static_cast<size_t>(s.out_channels));
        for (int row = 0; row < num_rows; ++row) {
          naive_conv(x.data(), x_stride, w, bias, s, row, expected);
          for (int n = 0; n < s.out_channels; ++n) {
            // Rounding of 900 additions to sums near 50: about 1e-4 at one standard deviation.
            EXPECT_NEAR(y[static_cast<size_t>(row * s.out_channels + n)], expected[static_cast<size_t>(n)] + 0.5, 5e-4);
          }
        }
      }
    }
  }
}

TEST(Kernels, AConvolutionGivesTheSnakeOfItsOutputsToo) {
  const ConvShape s{24, 29, 3, 2};
  const int num_rows = 9;
  for (const Kernels* k : usable_kernels()) {
    const auto x = random_values((num_rows + 4) * 24, 1);
    const auto packed = pack(random_values(3 * 29 * 24, 2), s, *k);
    const auto bias = random_values(29, 3), alpha = random_values(29, 4), inv_beta = random_values(29, 5);
    const PackedConv w{packed.data(), ConvType::f32, bias.data()};
    const ConvRange all{0, num_rows, 0, num_panels(29, k->panel_columns)};
    std::vector<float> y(num_rows * 29), expected(y.size()), both(y.size()), alone(y.size());
    k->conv(x.data(), 24, w, s, all, {.y = y.data(), .stride = 29});
    k->snake(y.data(), alpha.data(), inv_beta.data(), expected.data(), 29, num_rows);
    ConvOutput out{
        .y = y.data(), .snaked = both.data(), .alpha = alpha.data(), .inv_beta = inv_beta.data(), .stride = 29};
    k->conv(x.data(), 24, w, s, all, out);
    out.y = nullptr;
    out.snaked = alone.data();
    k->conv(x.data(), 24, w, s, all, out);
    EXPECT_EQ(both, alone) << k->isa;
    for (size_t i = 0; i < both.size(); ++i) EXPECT_NEAR(both[i], expected[i], 1e-5) << k->isa;
  }
}

TEST(Kernels, TheSplitOfAConvolutionOverRowsAndPanelsChangesNoBit) {
  const ConvShape s{40, 60, 3, 2};
  const int num_rows = 23;
  for (const Kernels* k : usable_kernels()) {
    const auto x = random_values((num_rows + 4) * 40, 1);
    const auto w = random_values(3 * 60 * 40, 2);
    const auto packed = pack(w, s, *k);
    std::vector<float> whole(num_rows * 60), parts(num_rows * 60);
    const int panels = num_panels(60, k->panel_columns);
    k->conv(x.data(), 40, {packed.data(), ConvType::f32, nullptr}, s, {0, num_rows, 0, panels},
            {.y = whole.data(), .stride = 60});
    for (int panel = 0; panel < panels; ++panel)
      for (int row = 0; row < num_rows; ++row)
        k->conv(x.data(), 40, {packed.data(), ConvType::f32, nullptr}, s, {row, row + 1, panel, panel + 1},
                {.y = parts.data(), .stride = 60});
    EXPECT_EQ(whole, parts) << k->isa;
  }
}

TEST(Kernels, SixteenBitConvolutionWeightsAreWidenedExactly) {
  // 1.5, -0.25, 2^-24 (a subnormal f16), 0 in both types; as floats they are exact.
  const uint16_t halves[] = {0x3E00, 0xB400, 0x0001, 0x0000};
  const uint16_t bfloats[] = {0x3FC0, 0xBE80, 0x3380, 0x0000};
  const float values[] = {1.5F, -0.25F, 0x1p-24F, 0.0F};
  const ConvShape s{1, 4, 1, 1};
  const float one = 1.0F;
  for (const Kernels* k : usable_kernels()) {
    for (const bool half : {true, false}) {
      const ConvType type = half ? ConvType::f16 : ConvType::bf16;
      std::vector<std::byte> packed(packed_conv_bytes(type, s, k->panel_columns));
      pack_conv(reinterpret_cast<const std::byte*>(half ? halves : bfloats), type, s, k->panel_columns, packed.data());
      float y[4];
      k->conv(&one, 1, {packed.data(), type, nullptr}, s, {0, 1, 0, 1}, {.y = y, .stride = 4});
      for (int i = 0; i < 4; ++i) EXPECT_EQ(y[i], values[i]) << k->isa << " half " << half;
    }
  }
}

// ggml's q8_0 and q4_0 rows: f16 scale, then values. 0x2E66 is 0.1 in f16.
std::vector<std::byte> random_blocks(int num_rows, int num_blocks, size_t value_bytes, std::vector<float>& values) {
  std::mt19937 engine(4);
  std::vector<std::byte> blocks;
  const float scale = 0.0999755859375F;
  for (int i = 0; i < num_rows * num_blocks; ++i) {
    blocks.push_back(std::byte{0x66});
    blocks.push_back(std::byte{0x2E});
    std::vector<float> block(32);
    for (size_t j = 0; j < value_bytes; ++j) {
      const auto byte = static_cast<uint8_t>(engine());
      blocks.push_back(std::byte{byte});
      if (value_bytes == 32) {
        block[j] = scale * static_cast<float>(static_cast<int8_t>(byte));
      } else {
        block[j] = scale * static_cast<float>((byte & 15) - 8);
        block[j + 16] = scale * static_cast<float>((byte >> 4) - 8);
      }
    }
    values.insert(values.end(), block.begin(), block.end());
  }
  return blocks;
}

std::vector<std::byte> pack_blocks(const std::vector<std::byte>& blocks, int num_rows, int num_blocks, bool four_bits) {
  std::vector<std::byte> packed(four_bits ? packed_q4_bytes(num_rows, num_blocks)
                                          : packed_q8_bytes(num_rows, num_blocks));
  (four_bits ? pack_q4 : pack_q8)(blocks.data(), num_rows, num_blocks, packed.data());
  return packed;
}

// Activation rows [num_rows, depth], quantised.
struct Activations {
  Activations(const Kernels& k, int num_rows, int num_blocks)
      : q(static_cast<size_t>(num_rows * num_blocks * kGroup)), scale(q.size() / kGroup), sum(scale.size()) {
    const auto x = random_values(q.size(), 5);
    k.quantize(x.data(), static_cast<int>(x.size()), q.data(), scale.data(), sum.data());
  }
  QuantRow row(size_t m, size_t num_blocks) const {
    return {q.data() + m * num_blocks * kGroup, scale.data() + m * num_blocks, sum.data() + m * num_blocks};
  }

  std::vector<int8_t> q;
  std::vector<float> scale;
  std::vector<int32_t> sum;
};

// 11 groups: a whole number of them for none of the streams in which a kernel may read them.
void check_quantised_product(const Kernels& k, bool four_bits) {
  const int num_groups = 11, num_rows = num_groups * kPackedRows;
  const int num_blocks = 3;
  const size_t depth = 96;
  std::vector<float> w;
  const auto packed =
      pack_blocks(random_blocks(num_rows, num_blocks, four_bits ? 16 : 32, w), num_rows, num_blocks, four_bits);
  for (const int num_x : {1, 2, 3, 4, 9}) {
    const Activations x(k, num_x, num_blocks);
    std::vector<float> y(static_cast<size_t>(num_x * num_rows));
    (four_bits ? k.matmul_q4 : k.matmul_q8)(packed.data(), x.row(0, 3), num_x, num_blocks, y.data(), num_rows, 0,
                                            num_groups);
    for (size_t m = 0; m < static_cast<size_t>(num_x); ++m) {
      for (size_t r = 0; r < num_rows; ++r) {
        double expected = 0;
        for (size_t i = 0; i < depth; ++i)
          expected += double{w[r * depth + i]} * double{x.scale[m * 3 + i / 32]} * x.q[m * depth + i];
        // The integer part is exact; what is left is the rounding of three float products near 100.
        EXPECT_NEAR(y[m * num_rows + r], expected, 1e-4) << k.isa << " rows " << num_x << " row " << r;
      }
    }
  }
}

TEST(Kernels, AProductOfQ8WeightsIsExactUpToFloatRounding) {
  for (const Kernels* k : usable_kernels()) check_quantised_product(*k, /*four_bits=*/false);
}

TEST(Kernels, AProductOfQ4WeightsIsExactUpToFloatRounding) {
  for (const Kernels* k : usable_kernels()) check_quantised_product(*k, /*four_bits=*/true);
}

// Numbers of rows around the batches and passes of the kernels, depths around their chunks, some of the groups.
void check_rows_stand_alone(const Kernels& k, bool four_bits, int num_blocks) {
  const int num_groups = 12, num_rows = num_groups * kPackedRows;
  std::vector<float> w;
  const auto packed =
      pack_blocks(random_blocks(num_rows, num_blocks, four_bits ? 16 : 32, w), num_rows, num_blocks, four_bits);
  const auto product = four_bits ? k.matmul_q4 : k.matmul_q8;
  for (const int num_x : {2, 3, 4, 5, 6, 7, 8, 9, 13, 25, 31, 32, 33, 64, 71}) {
    const Activations x(k, num_x, num_blocks);
    const float untouched = -1.0F;
    const auto stride = static_cast<size_t>(num_rows + 5);
    std::vector<float> together(static_cast<size_t>(num_x) * stride, untouched), alone = together;
    const auto num_x_blocks = static_cast<size_t>(num_blocks);
    product(packed.data(), x.row(0, num_x_blocks), num_x, num_blocks, together.data(), num_rows + 5, 1, num_groups);
    for (size_t m = 0; m < static_cast<size_t>(num_x); ++m)
      product(packed.data(), x.row(m, num_x_blocks), 1, num_blocks, alone.data() + m * stride, num_rows + 5, 1,
              num_groups);
    EXPECT_EQ(together, alone) << k.isa << " four bits " << four_bits << " rows " << num_x << " blocks " << num_blocks;
  }
}

TEST(Kernels, ARowOfAProductHasTheSameBitsWhateverTheOtherRowsAre) {
  for (const Kernels* k : usable_kernels())
    for (const bool four_bits : {false, true})
      for (const int num_blocks : {1, 3, 8, 17}) check_rows_stand_alone(*k, four_bits, num_blocks);
}

// The largest sums that the formats allow, in 16-bit lanes as in 32-bit ones. ggml's blocks of scale 1: q8_0 weights of
// -128 or 127, or q4_0 weights of -8 or 7; activations of scale 1, all -127 or all 127.
void check_extremes(const Kernels& k, bool four_bits, bool lowest, int activation) {
  const float weight = four_bits ? (lowest ? -8.0F : 7.0F) : (lowest ? -128.0F : 127.0F);
  const auto byte = static_cast<std::byte>(four_bits ? (lowest ? 0x00 : 0xFF) : (lowest ? 0x80 : 0x7F));
  const size_t value_bytes = four_bits ? 16 : 32;
  std::vector<std::byte> blocks;
  for (int row = 0; row < kPackedRows; ++row) {
    blocks.push_back(std::byte{0x00});
    blocks.push_back(std::byte{0x3C});  // 1.0 in f16
    blocks.insert(blocks.end(), value_bytes, byte);
  }
  const auto packed = pack_blocks(blocks, kPackedRows, 1, four_bits);
  for (const int num_x : {1, 8}) {
    const auto count = static_cast<size_t>(num_x);
    const std::vector<int8_t> q(count * kGroup, static_cast<int8_t>(activation));
    const std::vector<float> scale(count, 1.0F);
    const std::vector<int32_t> sum(count, kGroup * activation);
    std::vector<float> y(count * kPackedRows);
    (four_bits ? k.matmul_q4 : k.matmul_q8)(packed.data(), {q.data(), scale.data(), sum.data()}, num_x, 1, y.data(),
                                            kPackedRows, 0, 1);
    EXPECT_EQ(y, std::vector<float>(y.size(), kGroup * weight * static_cast<float>(activation)))
        << k.isa << " weight " << weight << " activation " << activation << " rows " << num_x;
  }
}

TEST(Kernels, ProductsOfTheLargestQuantisedValuesDoNotOverflow) {
  for (const Kernels* k : usable_kernels()) {
    for (const bool four_bits : {false, true}) {
      for (const bool lowest : {false, true}) {
        for (const int activation : {-127, 127}) check_extremes(*k, four_bits, lowest, activation);
      }
    }
  }
}

TEST(Kernels, QuantisedActivationsAreWithinHalfAStep) {
  for (const Kernels* k : usable_kernels()) {
    auto x = random_values(96, 6);
    std::fill(x.begin() + 32, x.begin() + 64, 0.0F);  // a group of zeros stays zero
    int8_t q[96];
    float scale[3];
    int32_t sum[3];
    k->quantize(x.data(), 96, q, scale, sum);
    for (size_t i = 0; i < 96; ++i) {
      // Half a step, and the f16 rounding of the scale (2^-11) times at most 127 steps.
      EXPECT_NEAR(x[i], scale[i / 32] * static_cast<float>(q[i]), scale[i / 32] * 0.57F) << k->isa;
    }
    EXPECT_EQ(sum[1], 0);
    EXPECT_EQ(scale[1], 0.0F);
  }
}

TEST(Kernels, TheSelfTestPassesAndNamesAKernelThatLies) {
  for (const Kernels* k : usable_kernels()) EXPECT_EQ(find_kernel_fault(*k), "") << k->isa;
  Kernels lying = *usable_kernels().front();
  lying.gelu = [](const float*, float* y, int count) { std::fill_n(y, count, std::nanf("")); };
  EXPECT_TRUE(find_kernel_fault(lying).starts_with("elementwise:"));
}

TEST(Kernels, AnyUsableTableCanBeNamedAndNoOther) {
  std::string names;
  for (const Kernels* k : usable_kernels()) {
    names += (names.empty() ? "" : " ") + std::string(k->isa);
    EXPECT_EQ(find_kernels(k->isa), k);
  }
  RecordProperty("usable_kernels", names);  // tools/check_aarch64.sh compares them with what the CPU can run
  EXPECT_EQ(find_kernels("no such set"), nullptr);
}

TEST(Kernels, AScopeChoosesTheTableOfItsThreadUntilItEnds) {
  const Kernels* best = &kernels();
  {
    const KernelsScope scope(&scalar_kernels);
    EXPECT_EQ(&kernels(), &scalar_kernels);
    const KernelsScope same(nullptr);
    EXPECT_EQ(&kernels(), &scalar_kernels);
    std::thread([best] { EXPECT_EQ(&kernels(), best); }).join();
  }
  EXPECT_EQ(&kernels(), best);
}

}  // namespace
}  // namespace kazeia
