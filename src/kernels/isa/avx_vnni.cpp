// The kernels for x86-64 with AVX2 and AVX-VNNI: laptops and desktops of Alder Lake and Zen 5 or newer.
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

#include "kernels/isa/avx2_inl.h"

constexpr int kDotBias = 128;

inline Ints dot4(Ints acc, Ints w, Ints x) {
  return ints(_mm256_dpbusd_avx_epi32(bits_of(acc), bits_of(w), bits_of(x)));
}

#include "kernels/isa/nibbles_inl.h"

#include "kernels/kernels_inl.h"

}  // namespace

const Kernels avx_vnni_kernels = make_table("avx_vnni");

}  // namespace kazeia
