// The best table of kernels that this CPU can run.
#include <atomic>

#include "kernels/kernels.h"

namespace kazeia {
namespace {

std::atomic<const Kernels*> chosen = nullptr;

}  // namespace

std::vector<const Kernels*> usable_kernels() {
  std::vector<const Kernels*> tables;
#if defined(__x86_64__) && defined(KAZEIA_SIMD)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    tables.push_back(&avx2_kernels);
#endif
  tables.push_back(&scalar_kernels);
  return tables;
}

const Kernels& kernels() {
  const Kernels* table = chosen.load(std::memory_order_acquire);
  if (!table) {
    table = usable_kernels().front();
    chosen.store(table, std::memory_order_release);
  }
  return *table;
}

bool force_kernels(std::string_view isa) {
  for (const Kernels* table : usable_kernels()) {
    if (isa != table->isa) continue;
    chosen.store(table, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace kazeia
