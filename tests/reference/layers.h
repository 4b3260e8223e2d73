// What the layers mean: plain loops in double precision, one statement per formula, written from the official modules
// and in their weight layouts. Tests hold src/nn and the stages against this.
//
// Signals are rows [T, C]; x[t][c] is Signal::at(t, c), zero for t < 0 (the official left padding).
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

namespace kazeia::reference {

struct Signal {
  int64_t rows = 0, channels = 0;
  std::vector<double> values;

  Signal(int64_t num_rows, int64_t num_channels)
      : rows(num_rows), channels(num_channels), values(static_cast<size_t>(num_rows * num_channels)) {}
  Signal(int64_t num_rows, int64_t num_channels, const std::vector<float>& from) : Signal(num_rows, num_channels) {
    values.assign(from.begin(), from.end());
  }
  double& at(int64_t t, int64_t c) { return values[static_cast<size_t>(t * channels + c)]; }
  double at(int64_t t, int64_t c) const { return t < 0 ? 0.0 : values[static_cast<size_t>(t * channels + c)]; }
};

// weight: [out, in] -> x weight^T + bias
inline Signal linear(const Signal& x, const std::vector<float>& weight, const std::vector<float>& bias) {
  const auto out = static_cast<int64_t>(weight.size()) / x.channels;
  Signal y(x.rows, out);
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0.0 : bias[static_cast<size_t>(o)];
      for (int64_t i = 0; i < x.channels; ++i)
        sum += double{weight[static_cast<size_t>(o * x.channels + i)]} * x.at(t, i);
      y.at(t, o) = sum;
    }
  }
  return y;
}

// Conv1d weight: [out, in, taps]; padded with (taps - 1) * dilation zeros on the left.
inline Signal causal_conv(const Signal& x, const std::vector<float>& weight, const std::vector<float>& bias,
                          int64_t taps, int64_t dilation) {
  const auto out = static_cast<int64_t>(bias.size());
  Signal y(x.rows, out);
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = bias[static_cast<size_t>(o)];
      for (int64_t i = 0; i < x.channels; ++i)
        for (int64_t k = 0; k < taps; ++k)
          sum += double{weight[static_cast<size_t>((o * x.channels + i) * taps + k)]} *
                 x.at(t - (taps - 1 - k) * dilation, i);
      y.at(t, o) = sum;
    }
  }
  return y;
}

// Conv1d with groups = channels, weight: [C, 1, taps].
inline Signal causal_depthwise_conv(const Signal& x, const std::vector<float>& weight, const std::vector<float>& bias,
                                    int64_t taps) {
  Signal y(x.rows, x.channels);
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t c = 0; c < x.channels; ++c) {
      double sum = bias[static_cast<size_t>(c)];
      for (int64_t k = 0; k < taps; ++k)
        sum += double{weight[static_cast<size_t>(c * taps + k)]} * x.at(t - (taps - 1 - k), c);
      y.at(t, c) = sum;
    }
  }
  return y;
}

// ConvTranspose1d weight: [in, out, kernel]: input row t adds to output rows t * stride .. t * stride + kernel - 1. The
// kernel - stride rows beyond the input's end are cut off.
inline Signal causal_transposed_conv(const Signal& x, const std::vector<float>& weight, const std::vector<float>& bias,
                                     int64_t kernel, int64_t stride) {
  const auto out = static_cast<int64_t>(bias.size());
  Signal y(x.rows * stride, out);
  for (int64_t s = 0; s < y.rows; ++s)
    for (int64_t o = 0; o < out; ++o) y.at(s, o) = bias[static_cast<size_t>(o)];
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t k = 0; k < kernel && t * stride + k < y.rows; ++k)
      for (int64_t i = 0; i < x.channels; ++i)
        for (int64_t o = 0; o < out; ++o)
          y.at(t * stride + k, o) += x.at(t, i) * double{weight[static_cast<size_t>((i * out + o) * kernel + k)]};
  }
  return y;
}

// x + inv_beta * sin(alpha * x)^2. Official parameters are logarithms: alpha = exp(a), inv_beta = 1 / (exp(b) + 1e-9).
inline Signal snake(const Signal& x, const std::vector<float>& alpha, const std::vector<float>& inv_beta) {
  Signal y = x;
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t c = 0; c < x.channels; ++c) {
      const double wave = std::sin(alpha[static_cast<size_t>(c)] * x.at(t, c));
      y.at(t, c) += inv_beta[static_cast<size_t>(c)] * wave * wave;
    }
  }
  return y;
}

inline Signal rms_norm(const Signal& x, const std::vector<float>& weight, double eps) {
  Signal y = x;
  for (int64_t t = 0; t < x.rows; ++t) {
    double square = 0.0;
    for (int64_t c = 0; c < x.channels; ++c) square += x.at(t, c) * x.at(t, c);
    const double rms = std::sqrt(square / static_cast<double>(x.channels) + eps);
    for (int64_t c = 0; c < x.channels; ++c) y.at(t, c) = x.at(t, c) / rms * weight[static_cast<size_t>(c)];
  }
  return y;
}

inline Signal layer_norm(const Signal& x, const std::vector<float>& weight, const std::vector<float>& bias,
                         double eps) {
  Signal y = x;
  const auto count = static_cast<double>(x.channels);
  for (int64_t t = 0; t < x.rows; ++t) {
    double mean = 0.0, variance = 0.0;
    for (int64_t c = 0; c < x.channels; ++c) mean += x.at(t, c) / count;
    for (int64_t c = 0; c < x.channels; ++c) variance += (x.at(t, c) - mean) * (x.at(t, c) - mean) / count;
    for (int64_t c = 0; c < x.channels; ++c) {
      const auto i = static_cast<size_t>(c);
      y.at(t, c) = (x.at(t, c) - mean) / std::sqrt(variance + eps) * weight[i] + bias[i];
    }
  }
  return y;
}

// a + scale * b, per channel; an empty scale is one.
inline Signal add_scaled(const Signal& a, const Signal& b, const std::vector<float>& scale = {}) {
  Signal y = a;
  for (int64_t t = 0; t < a.rows; ++t)
    for (int64_t c = 0; c < a.channels; ++c)
      y.at(t, c) += b.at(t, c) * (scale.empty() ? 1.0 : double{scale[static_cast<size_t>(c)]});
  return y;
}

inline double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }
inline double silu(double x) { return x / (1.0 + std::exp(-x)); }

struct AttentionShape {
  int64_t num_heads = 0, num_kv_heads = 0, head_size = 0;
  double rope_theta = 1e4;
  int64_t window = 0;  // positions a query sees, itself included; 0: all
};

// Rotates each head of x by its row's position: pairs (i, i + D/2), angle position * theta^(-2i / D).
inline Signal rope(const Signal& x, int64_t head_size, double theta) {
  Signal y = x;
  const int64_t half = head_size / 2;
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t c = 0; c < x.channels; ++c) {
      const int64_t i = c % head_size;
      const double exponent = -2.0 * static_cast<double>(i % half) / static_cast<double>(head_size);
      const double angle = static_cast<double>(t) * std::pow(theta, exponent);
      const double partner = i < half ? -x.at(t, c + half) : x.at(t, c - half);
      y.at(t, c) = x.at(t, c) * std::cos(angle) + partner * std::sin(angle);
    }
  }
  return y;
}

// q: [T, heads * D], k and v: [T, kv_heads * D], before RoPE -> [T, heads * D], before the output projection
inline Signal attention(Signal q, Signal k, const Signal& v, const AttentionShape& shape) {
  q = rope(q, shape.head_size, shape.rope_theta);
  k = rope(k, shape.head_size, shape.rope_theta);
  Signal y(q.rows, q.channels);
  for (int64_t head = 0; head < shape.num_heads; ++head) {
    const int64_t own = head * shape.head_size;
    const int64_t shared = head / (shape.num_heads / shape.num_kv_heads) * shape.head_size;
    for (int64_t t = 0; t < q.rows; ++t) {
      const int64_t oldest = shape.window > 0 && t >= shape.window ? t - shape.window + 1 : 0;
      std::vector<double> weights;
      double total = 0.0;
      for (int64_t s = oldest; s <= t; ++s) {
        double score = 0.0;
        for (int64_t i = 0; i < shape.head_size; ++i) score += q.at(t, own + i) * k.at(s, shared + i);
        weights.push_back(std::exp(score / std::sqrt(static_cast<double>(shape.head_size))));
        total += weights.back();
      }
      for (int64_t s = oldest; s <= t; ++s)
        for (int64_t i = 0; i < shape.head_size; ++i)
          y.at(t, own + i) += weights[static_cast<size_t>(s - oldest)] / total * v.at(s, shared + i);
    }
  }
  return y;
}

}  // namespace kazeia::reference
