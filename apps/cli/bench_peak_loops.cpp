// The one place outside the kernels that names instructions: a peak is a property of them.
#include "cli/bench_peak_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kazeia {
namespace {

// Independent chains: two units with a latency of four to six cycles need twelve to be busy all the time. Each starts
// with another value, else the compiler sees that they are equal and keeps one.
constexpr int kChains = 12;

#if defined(__x86_64__)

__attribute__((target("avx512f"))) float fma_avx512(int64_t num_rounds) {
  __m512 sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = _mm512_set1_ps(static_cast<float>(c));
  const __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(0.25F);
  for (int64_t i = 0; i < num_rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_fmadd_ps(sums[c], a, b);
  }
  for (int c = 1; c < kChains; ++c) sums[0] = _mm512_add_ps(sums[0], sums[c]);
  float lanes[16];
  _mm512_storeu_ps(lanes, sums[0]);
  return lanes[0];
}

__attribute__((target("avx2,fma"))) float fma_avx2(int64_t num_rounds) {
  __m256 sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = _mm256_set1_ps(static_cast<float>(c));
  const __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(0.25F);
  for (int64_t i = 0; i < num_rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm256_fmadd_ps(sums[c], a, b);
  }
  for (int c = 1; c < kChains; ++c) sums[0] = _mm256_add_ps(sums[0], sums[c]);
  float lanes[8];
  _mm256_storeu_ps(lanes, sums[0]);
  return lanes[0];
}

__attribute__((target("avx512f,avx512bf16"))) float bf16_avx512(int64_t num_rounds) {
  __m512 sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = _mm512_set1_ps(static_cast<float>(c));
  const __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(0.5F), _mm512_set1_ps(0.25F));
  for (int64_t i = 0; i < num_rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_dpbf16_ps(sums[c], a, a);
  }
  for (int c = 1; c < kChains; ++c) sums[0] = _mm512_add_ps(sums[0], sums[c]);
  float lanes[16];
  _mm512_storeu_ps(lanes, sums[0]);
  return lanes[0];
}

__attribute__((target("avx512f,avx512vnni"))) float int8_avx512(int64_t num_rounds) {
  __m512i sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = _mm512_set1_epi32(c);
  const __m512i a = _mm512_set1_epi32(0x01020304);
  for (int64_t i = 0; i < num_rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_dpbusd_epi32(sums[c], a, a);
  }
  for (int c = 1; c < kChains; ++c) sums[0] = _mm512_add_epi32(sums[0], sums[c]);
  int32_t lanes[16];
  _mm512_storeu_si512(lanes, sums[0]);
  return static_cast<float>(lanes[0]);
}

// Without a dot instruction: products of bytes are added in pairs, then widened, then summed.
__attribute__((target("avx2"))) float int8_avx2(int64_t num_rounds) {
  __m256i sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = _mm256_set1_epi32(c);
  __m256i a = _mm256_set1_epi32(0x01020304);
  const __m256i ones = _mm256_set1_epi16(1);
  for (int64_t i = 0; i < num_rounds; ++i) {
    asm("" : "+x"(a));  // the products are the same each round; this keeps them from being computed once
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
      __m256i b = a;
      asm("" : "+x"(b));
      sums[c] = _mm256_add_epi32(sums[c], _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
    }
  }
  for (int c = 1; c < kChains; ++c) sums[0] = _mm256_add_epi32(sums[0], sums[c]);
  return static_cast<float>(_mm256_extract_epi32(sums[0], 0));
}

std::vector<PeakLoop> loops_of_this_machine() {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") > 0;
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  const bool bf16 = avx512 && __builtin_cpu_supports("avx512bf16");
  std::vector<PeakLoop> loops(3);
  if (avx512) {
    loops[0] = {"f32 FMA", "avx512f", 2.0 * 16 * kChains, fma_avx512};
  } else if (avx2) {
    loops[0] = {"f32 FMA", "avx2", 2.0 * 8 * kChains, fma_avx2};
  }
  if (bf16) loops[1] = {"bf16 dot", "avx512bf16", 2.0 * 32 * kChains, bf16_avx512};
  if (vnni) {
    loops[2] = {"int8 dot", "avx512vnni", 2.0 * 64 * kChains, int8_avx512};
  } else if (avx2) {
    loops[2] = {"int8 dot", "avx2", 2.0 * 32 * kChains, int8_avx2};
  }
  return loops;
}

#elif defined(__aarch64__)

float fma_neon(int64_t num_rounds) {
  float32x4_t sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = vdupq_n_f32(static_cast<float>(c));
  const float32x4_t a = vdupq_n_f32(0.5F), b = vdupq_n_f32(0.25F);
  for (int64_t i = 0; i < num_rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) sums[c] = vfmaq_f32(b, sums[c], a);
  }
  for (int c = 1; c < kChains; ++c) sums[0] = vaddq_f32(sums[0], sums[c]);
  return vaddvq_f32(sums[0]);
}

std::vector<PeakLoop> loops_of_this_machine() {
  std::vector<PeakLoop> loops(3);
  loops[0] = {"f32 FMA", "neon", 2.0 * 4 * kChains, fma_neon};
  return loops;
}

#else

std::vector<PeakLoop> loops_of_this_machine() { return std::vector<PeakLoop>(3); }

#endif

}  // namespace

std::vector<PeakLoop> peak_loops() {
  const char* names[] = {"f32 FMA", "bf16 dot", "int8 dot"};
  std::vector<PeakLoop> loops = loops_of_this_machine();
  for (size_t i = 0; i < loops.size(); ++i) {
    loops[i].name = names[i];
    if (loops[i].run == nullptr) loops[i].instruction = "none";
  }
  return loops;
}

}  // namespace kazeia
