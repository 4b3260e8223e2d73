// Convolutions of 7 taps by minimal filtering, F(6, 7): 6 outputs from 12 products instead of 42.
//
// An output is a coefficient of the product of two polynomials, input and filter. Twelve values fix that product, so
// both are evaluated at twelve points, their values multiplied, and the outputs are interpolated from the products.
// Over C channels, each of the twelve is a matrix product; the two transforms cost a few additions for each value.
// Source: Winograd, Arithmetic Complexity of Computations (1980); Lavin and Gray, Fast Algorithms for Convolutional
// Neural Networks (2016).
//
// The points are +-3/8, +-3/4, +-1, +-3/2, +-5/2, zero and infinity, in this order: exact in binary, and spread so that
// little is cancelled. The relative error in f32 is about 7e-6 of the outputs' root mean square, thirty times that of
// the direct sum and far below what 16-bit weights leave.
#pragma once
#include <array>
#include <span>
#include <utility>

namespace kazeia {

struct Winograd {
  static constexpr int kTaps = 7;
  static constexpr int kOutputs = 6;
  static constexpr int kProducts = kOutputs + kTaps - 1;
  static constexpr int kPairs = 5;  // of points a and -a
  static constexpr std::array<double, kPairs> kPoints = {0.375, 0.75, 1.0, 1.5, 2.5};

  // u[p, i] = sum over taps k of g[p, k] * w[k, i]: the filters' values at point `product`. w: [kTaps, u.size()]
  static void filter_values(std::span<const float> w, int product, std::span<float> u);
};

// Which outputs share a tile: kOutputs that lie `dilation` rows apart. Tiles follow each other so that `dilation` of
// them, a group, make up contiguous rows. Rounding depends on an output's place in its tile, so tiles begin anew with
// each span of rows, and look at nothing behind the span: wherever a signal is cut between spans, each row gets the
// same bits.
struct WinogradTiles {
  int dilation = 1;
  int span_rows = 1;

  int groups_in_span() const { return (span_rows + group_rows() - 1) / group_rows(); }
  int tiles_in_span() const { return groups_in_span() * dilation; }
  int group_rows() const { return Winograd::kOutputs * dilation; }

  // The first row of a group, counted through all spans; the next span's first row where the group begins it.
  int row_of_group(int group) const {
    const int in_span = group % groups_in_span() * group_rows();
    return group / groups_in_span() * span_rows + in_span;
  }
  // The group that begins at this row, which must be the first of one.
  int group_of_row(int row) const { return row / span_rows * groups_in_span() + row % span_rows / group_rows(); }

  struct Rows {
    int first;  // of the tile's outputs and inputs
    int end;    // of the span's outputs
    // Of the inputs that the span's outputs see.
    int inputs_end(int dilation) const { return end + (Winograd::kTaps - 1) * dilation; }
  };
  Rows rows_of_tile(int tile) const {
    const int span = tile / tiles_in_span(), in_span = tile % tiles_in_span();
    const int first = in_span / dilation * group_rows() + in_span % dilation;
    return {span * span_rows + first, (span + 1) * span_rows};
  }
};

// Tiles [begin, begin + count).
struct TileRange {
  int begin = 0, count = 0;
};

}  // namespace kazeia
