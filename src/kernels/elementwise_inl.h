// Elementwise kernels and reductions; included by kernels_inl.h.

// Calls step(i, count) for each full vector and once for the rest of a row.
template <class Step>
inline void for_each_vector(int count, Step step) {
  int i = 0;
  for (; i + kWidth <= count; i += kWidth) step(i, kWidth);
  if (i < count) step(i, count - i);
}

inline F load_some(const float* p, int count) { return count == kWidth ? load<F>(p) : load_part<F>(p, count); }
inline void store_some(float* p, F v, int count) {
  if (count == kWidth) {
    store(p, v);
  } else {
    store_part(p, v, count);
  }
}

// Adding and subtracting 1.5 * 2^23 leaves the nearest integer, for |x| < 2^22.
constexpr float kRoundingShift = 12582912.0F;

// sin(x)^2. The sign of the sine does not matter, so x is reduced by multiples of pi, in two parts (the first has 11
// bits); the polynomial's error on [-pi/2, pi/2] is below 2e-11.
inline F sin_squared(F x) {
  const F q = (x * 0.318309886F + kRoundingShift) - kRoundingShift;
  const F r = (x - q * 3.140625F) - q * 9.676535846665502e-4F;
  const F s = r * r;
  F p = s * -2.3846691732387626e-8F + 2.752261934801936e-6F;
  p = p * s + -1.9840804452542216e-4F;
  p = p * s + 8.333330042660236e-3F;
  p = p * s + -0.16666667163372040F;
  const F sine = r + r * s * p;
  return sine * sine;
}

inline F clamp(F x, float low, float high) {
  x = x < low ? F{} + low : x;
  return x > high ? F{} + high : x;
}

// exp(x) for x in [-87, 88], clamped outside: 2^n * exp(r), relative error below 1e-7.
inline F exponential(F x) {
  x = clamp(x, -87.0F, 88.0F);
  const F n = (x * 1.44269504F + kRoundingShift) - kRoundingShift;
  const F r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  F p = r * 1.3950485736131668e-3F + 8.368885144591331e-3F;
  p = p * r + 4.166620597243309e-2F;
  p = p * r + 0.166665181517601F;
  p = p * r + 0.5F;
  p = p * r * r + r + 1.0F;
  const I power = (__builtin_convertvector(n, I) + 127) << 23;
  return p * as_float<I, F>(power);
}

inline float sum_lanes(F v) {
  float sum = 0.0F;
  for (int i = 0; i < kWidth; ++i) sum += v[i];
  return sum;
}

inline F snake_of(F x, F alpha, F inv_beta) { return x + inv_beta * sin_squared(alpha * x); }

inline void snake(const float* x, const float* alpha, const float* inv_beta, float* y, int channels, int num_rows) {
  for (int row = 0; row < num_rows; ++row, x += channels, y += channels) {
    for_each_vector(channels, [&](int c, int count) {
      const F v = load_some(x + c, count);
      store_some(y + c, snake_of(v, load_some(alpha + c, count), load_some(inv_beta + c, count)), count);
    });
  }
}

inline void depthwise(const float* x, const float* w, const float* bias, float* y, int channels, int taps,
                      int num_rows) {
  for (int row = 0; row < num_rows; ++row, x += channels, y += channels) {
    for_each_vector(channels, [&](int c, int count) {
      F sum = load_some(bias + c, count);
      for (int k = 0; k < taps; ++k)
        sum += load_some(w + k * channels + c, count) * load_some(x + k * channels + c, count);
      store_some(y + c, sum, count);
    });
  }
}

// The nearest f16 value, ties to even; for finite values below its maximum.
inline float round_to_half(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, 4);
  constexpr float kSmallestNormal = 6.103515625e-05F;                    // 2^-14; below it the spacing is 2^-24
  if (__builtin_fabsf(x) < kSmallestNormal) return (x + 0.75F) - 0.75F;  // floats near 0.75 have that spacing
  bits += 0xFFFU + ((bits >> 13U) & 1U);
  bits &= ~0x1FFFU;
  std::memcpy(&x, &bits, 4);
  return x;
}

inline void quantize(const float* x, int count, int8_t* q, float* scale, int32_t* sum) {
  for (int first = 0; first < count; first += kGroup, x += kGroup, q += kGroup) {
    float highest = 0.0F;
    for (int i = 0; i < kGroup; ++i) highest = __builtin_fabsf(x[i]) > highest ? __builtin_fabsf(x[i]) : highest;
    const float inverse = highest > 0.0F ? 127.0F / highest : 0.0F;
    int32_t total = 0;
    for (int i = 0; i < kGroup; ++i) {
      const float scaled = x[i] * inverse;  // stored, so that it is not fused with the shift
      const auto value = static_cast<int32_t>((scaled + kRoundingShift) - kRoundingShift);
      q[i] = static_cast<int8_t>(value);
      total += value;
    }
    *scale++ = round_to_half(highest / 127.0F);
    *sum++ = total;
  }
}

// A dot product but for the sum over the lanes.
inline F dot_lanes(const float* a, const float* b, int count) {
  F sums[4] = {};
  int i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth)
    for (int v = 0; v < 4; ++v) sums[v] += load<F>(a + i + v * kWidth) * load<F>(b + i + v * kWidth);
  for_each_vector(count - i, [&](int j, int n) { sums[0] += load_some(a + i + j, n) * load_some(b + i + j, n); });
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline float dot(const float* a, const float* b, int count) { return sum_lanes(dot_lanes(a, b, count)); }

inline void add_scaled(const float* x, float scale, float* y, int count) {
  for_each_vector(count,
                  [&](int i, int n) { store_some(y + i, load_some(y + i, n) + load_some(x + i, n) * scale, n); });
}

inline void swiglu(const float* gate, const float* up, float* y, int count) {
  for_each_vector(count, [&](int i, int n) {
    const F v = load_some(gate + i, n);
    store_some(y + i, v / (exponential(-v) + 1.0F) * load_some(up + i, n), n);
  });
}

// erf by Abramowitz and Stegun 7.1.26, |error| < 1.5e-7; 0.5 (x + |x| erf(|x| / sqrt 2)) needs no sign of its own.
inline void gelu(const float* x, float* y, int count) {
  for_each_vector(count, [&](int i, int n) {
    const F v = load_some(x + i, n);
    const F size = v < 0.0F ? -v : v;
    const F z = size * 0.707106781F;
    const F t = 1.0F / (z * 0.3275911F + 1.0F);
    F p = t * 1.061405429F + -1.453152027F;
    p = p * t + 1.421413741F;
    p = p * t + -0.284496736F;
    p = p * t + 0.254829592F;
    const F erf = 1.0F - p * t * exponential(-(z * z));
    store_some(y + i, (v + size * erf) * 0.5F, n);
  });
}

inline float softmax_exp(float* x, int count) {
  float highest = x[0];
  for (int i = 1; i < count; ++i) highest = x[i] > highest ? x[i] : highest;
  F sums = {};
  for_each_vector(count, [&](int i, int n) {
    const F e = exponential(load_some(x + i, n) - highest);
    store_some(x + i, e, n);
    sums += load_some(x + i, n);  // without the lanes past the end
  });
  return sum_lanes(sums);
}
