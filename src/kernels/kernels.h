// The loops worth writing by hand, one table of them for each instruction set.
//
// Letters: T rows (time), C input channels, N outputs, K depth of a product. Everything is row-major.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/winograd.h"

namespace kazeia {

// A causal convolution as a product: y[t, n] = bias[n] + sum over taps k and channels c of w[k, n, c] * x[t + k *
// dilation, c]. A plain matrix is one tap. Row t + (taps - 1) * dilation of x is the newest input of output t.
struct ConvShape {
  int in_channels = 0;   // C
  int out_channels = 0;  // N
  int taps = 1;
  int dilation = 1;
};

// Which part of the outputs to compute: rows [row_begin, row_end) of panels [panel_begin, panel_end).
struct ConvRange {
  int row_begin = 0, row_end = 0;
  int panel_begin = 0, panel_end = 0;
};

// How packed convolution weights are stored. The 16-bit types are widened on their way into the registers.
enum class ConvType { f32, f16, bf16 };

inline constexpr size_t conv_value_bytes(ConvType type) { return type == ConvType::f32 ? 4 : 2; }

// Weights as pack_conv() leaves them for the table's panel_columns.
struct PackedConv {
  const std::byte* weights;
  ConvType type;
  const float* bias;  // [N] or null
};

// Where the outputs go, and what is done to them while they are still in registers. All rows are `stride` floats apart.
struct ConvOutput {
  float* y = nullptr;               // the outputs; null: not wanted
  const float* residual = nullptr;  // added to them; may be y itself
  float* snaked = nullptr;          // their snake, as in Kernels::snake; null: not wanted
  const float* alpha = nullptr;     // [N]
  const float* inv_beta = nullptr;  // [N]
  int64_t stride = 0;
};

// A row of 8-bit activations in groups of 32: value = scale[group] * q. sum[group] is the sum of the group's q.
inline constexpr int kGroup = 32;
struct QuantRow {
  const int8_t* q;     // [K], in [-127, 127]
  const float* scale;  // [K / 32]
  const int32_t* sum;  // [K / 32]
};

// Weights of 16 matrix rows interleaved: see pack.h.
inline constexpr int kPackedRows = 16;

// A product of quantised weights: y[m][r] = sum over k of w[r, k] * x[m][k] for the packed groups [group_begin,
// group_end) of 16 rows and m < num_x. x is the first activation row; the others follow it in each of its arrays. y:
// rows of y_stride floats. num_blocks = K / 32. A row of y has the same bits whatever num_x is.
using MatmulKernel = void (*)(const std::byte* packed, const QuantRow& x, int num_x, int num_blocks, float* y,
                              int64_t y_stride, int group_begin, int group_end);

// Scalar is the meaning of each kernel; every other table is tested against it.
struct Kernels {
  const char* isa;
  int panel_columns;  // outputs that one packed panel holds

  // x: rows of x_stride floats. Each output is summed over taps and channels in the same order whatever the range, so
  // the split over threads and calls does not change a bit.
  void (*conv)(const float* x, int64_t x_stride, const PackedConv& w, const ConvShape& shape, const ConvRange& range,
               const ConvOutput& out);

  // The transforms around the P = 12 products of a convolution by Winograd tiles. x: contiguous rows of C `channels`,
  // as of conv -> v: [P, count, C]
  void (*winograd_inputs)(const float* x, int channels, const WinogradTiles& tiles, const TileRange& range, float* v);
  // m: [P, count, N = channels] -> the tiles' outputs in columns [column_begin, column_end); bias: [N] or null
  void (*winograd_outputs)(const float* m, int channels, const WinogradTiles& tiles, const TileRange& range,
                           int column_begin, int column_end, const float* bias, const ConvOutput& out);

  // y[t, c] = bias[c] + sum over taps k of w[k, c] * x[t + k, c]; x, y: rows of `channels` floats.
  void (*depthwise)(const float* x, const float* w, const float* bias, float* y, int channels, int taps, int num_rows);

  // y[i] = x[i] + inv_beta[c] * sin(alpha[c] * x[i])^2 over num_rows rows of `channels`. |error| of sin < 2e-7 for
  // arguments below 1e4.
  void (*snake)(const float* x, const float* alpha, const float* inv_beta, float* y, int channels, int num_rows);

  // q, scale and sum of one row of `count` values, count a multiple of 32; the scale is rounded to f16, as ggml's q8_0.
  void (*quantize)(const float* x, int count, int8_t* q, float* scale, int32_t* sum);

  MatmulKernel matmul_q8, matmul_q4;

  // Sum of a[i] * b[i].
  float (*dot)(const float* a, const float* b, int count);
  // y[r] = the dot product of x and rows[r], for contiguous rows of `width` values. The bits of dot().
  void (*dot_rows)(const float* x, const float* rows, int width, int num_rows, float* y);
  // y[i] += scale * x[i].
  void (*add_scaled)(const float* x, float scale, float* y, int count);
  // y[i] += weights[r] * rows[r][i], one row after the other. The bits of add_scaled().
  void (*add_rows)(const float* rows, const float* weights, int width, int num_rows, float* y);
  // y[i] = silu(gate[i]) * up[i].
  void (*swiglu)(const float* gate, const float* up, float* y, int count);
  // 0.5 x (1 + erf(x / sqrt 2)).
  void (*gelu)(const float* x, float* y, int count);
  // x[i] = exp(x[i] - max x); returns the sum.
  float (*softmax_exp)(float* x, int count);

  // y[i] = the bf16 value nearest to x[i], ties to even; an odd count is followed by a zero.
  void (*round_row)(const float* x, int count, uint16_t* y);
  // As conv, with activations and weights of bf16. x: rows of x_stride values as round_row() leaves them; w: as
  // pack_pairs() leaves them; bias: [N] or null.
  void (*conv_pairs)(const uint16_t* x, int64_t x_stride, const std::byte* w, const float* bias, const ConvShape& shape,
                     const ConvRange& range, const ConvOutput& out);
  bool has_bf16_dots = false;  // conv_pairs adds up a pair in one instruction
};

// Defined where the target has the instruction set.
extern const Kernels scalar_kernels, neon_kernels, neon_dotprod_kernels, neon_bf16_kernels;
extern const Kernels avx2_kernels, avx_vnni_kernels, avx512_kernels, avx512_vnni_kernels, avx512_bf16_kernels;

// All tables that this CPU can run, the best first.
std::vector<const Kernels*> usable_kernels();

// The table of that name; null if this CPU can't run it or there is none.
const Kernels* find_kernels(std::string_view isa);

// The best one that agrees with the scalar one, or what the innermost KernelsScope of this thread says. What is made
// for a table (packed weights) has to keep it, because the next call may answer otherwise.
const Kernels& kernels();

// While it lives, kernels() is `table` on this thread; null: what it was.
class KernelsScope {
 public:
  explicit KernelsScope(const Kernels* table);
  ~KernelsScope();
  KernelsScope(const KernelsScope&) = delete;
  KernelsScope& operator=(const KernelsScope&) = delete;

 private:
  const Kernels* outer_;
};

}  // namespace kazeia
