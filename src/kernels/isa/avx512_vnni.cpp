// The kernels for x86-64 with AVX-512 and VNNI: Ice Lake servers and Zen 4 or newer.
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

}  // namespace

const Kernels avx512_vnni_kernels = make_table("avx512_vnni");

}  // namespace kazeia
