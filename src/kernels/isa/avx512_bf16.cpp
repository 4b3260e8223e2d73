// The kernels for x86-64 with AVX-512, VNNI and BF16: Cooper Lake, Sapphire Rapids, and Zen 4 or newer.
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

// Each builds on those before.
// clang-format off
#include "kernels/isa/avx512_inl.h"
#include "kernels/isa/avx512_vnni_inl.h"
#include "kernels/isa/nibbles_inl.h"
// clang-format on

#include "kernels/kernels_inl.h"

struct DotPairs {
  static F add(F acc, I w, I x) {
    return _mm512_dpbf16_ps(acc, reinterpret_cast<__m512bh>(w), reinterpret_cast<__m512bh>(x));
  }
  static H round(F v) { return reinterpret_cast<H>(_mm512_cvtneps_pbh(v)); }
};

}  // namespace

const Kernels avx512_bf16_kernels = with_bf16_dots<DotPairs>(make_table("avx512_bf16"));

}  // namespace kazeia
