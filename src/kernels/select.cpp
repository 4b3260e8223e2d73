// The best table of kernels that this CPU can run.
#include "base/log.h"
#include "base/x86_features.h"
#include "kernels/self_test.h"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace kazeia {
namespace {

thread_local const Kernels* scoped = nullptr;

// A table that computes something else than the scalar one is never used: a fault of the machine, or of this build.
const Kernels* first_working() {
  for (const Kernels* table : usable_kernels()) {
    const std::string fault = find_kernel_fault(*table);
    if (fault.empty()) return table;
    log(LogLevel::warning, std::string("kernels ") + table->isa + " are left out: " + fault);
  }
  return &scalar_kernels;
}

}  // namespace

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> tables;
#if defined(__x86_64__) && defined(KAZEIA_SIMD)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && cpu_has_f16c();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  const bool avx512_vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (avx512_vnni && __builtin_cpu_supports("avx512bf16")) tables.push_back(&avx512_bf16_kernels);
  if (avx512_vnni) tables.push_back(&avx512_vnni_kernels);
  if (avx512) tables.push_back(&avx512_kernels);
  if (avx2 && cpu_has_avx_vnni()) tables.push_back(&avx_vnni_kernels);
  if (avx2) tables.push_back(&avx2_kernels);
#elif defined(__aarch64__) && defined(KAZEIA_SIMD)
#ifdef __linux__
  const bool dotprod = getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
  if (dotprod && (getauxval(AT_HWCAP2) & HWCAP2_BF16)) tables.push_back(&neon_bf16_kernels);
  if (dotprod) tables.push_back(&neon_dotprod_kernels);
#endif
  tables.push_back(&neon_kernels);
#endif
  tables.push_back(&scalar_kernels);
  return tables;
}

const Kernels* find_kernels(std::string_view isa) {
  for (const Kernels* table : usable_kernels())
    if (isa == table->isa) return table;
  return nullptr;
}

const Kernels& kernels() {
  if (scoped) return *scoped;
  static const Kernels* const best = first_working();
  return *best;
}

KernelsScope::KernelsScope(const Kernels* table) : outer_(scoped) {
  if (table) scoped = table;
}

KernelsScope::~KernelsScope() { scoped = outer_; }

}  // namespace kazeia
