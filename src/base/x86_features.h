// What x86 CPUs have that not every compiler's __builtin_cpu_supports() can be asked about (clang 16 knows neither).
#pragma once
#ifdef __x86_64__
#include <cpuid.h>

namespace kazeia {

// Conversions of f16 values. CPUID leaf 1, ECX bit 29.
inline bool cpu_has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29U & 1U);
}

// Dot products of bytes on AVX2 registers. CPUID leaf 7, subleaf 1, EAX bit 4.
inline bool cpu_has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4U & 1U);
}

}  // namespace kazeia
#endif
