// The kernels for x86-64 with AVX-512 and VNNI: Ice Lake servers and Zen 4 or newer.
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/pack.h"
#include "kernels/vec.h"

namespace kazeia {
namespace {

#include "kernels/isa/avx512_inl.h"

constexpr int kDotBias = 128;

inline Ints dot4(Ints acc, Ints w, Ints x) { return ints(_mm512_dpbusd_epi32(bits_of(acc), bits_of(w), bits_of(x))); }

#include "kernels/isa/nibbles_inl.h"

#include "kernels/kernels_inl.h"

}  // namespace

const Kernels avx512_vnni_kernels = make_table("avx512_vnni");

}  // namespace kazeia
