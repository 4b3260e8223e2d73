// A vector of kWidth floats, from the compiler's own vector types: one source, any instruction set. Each isa/*.cpp
// defines kWidth before it includes the kernels. Arithmetic is elementwise; a * b + c becomes one fused instruction
// there.
#pragma once
#include <cstdint>
#include <cstring>
#include <utility>

namespace kazeia {

template <int N>
struct VecTypes {
  typedef float F __attribute__((vector_size(N * 4)));
  typedef int32_t I __attribute__((vector_size(N * 4)));
};

template <class V, class T>
inline V load(const T* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class V, class T>
inline void store(T* p, V v) {
  std::memcpy(p, &v, sizeof v);
}

// The first `count` elements; the others are zero.
template <class V, class T>
inline V load_part(const T* p, int count) {
  V v = {};
  std::memcpy(&v, p, static_cast<size_t>(count) * sizeof(T));
  return v;
}

template <class V, class T>
inline void store_part(T* p, V v, int count) {
  std::memcpy(p, &v, static_cast<size_t>(count) * sizeof(T));
}

template <class V, class Index, int... LANES>
inline V pick_lanes(V a, V b, std::integer_sequence<int, LANES...> /*all*/) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, Index{}(LANES)...);
#else
  return __builtin_shuffle(a, b, typename VecTypes<sizeof...(LANES)>::I{Index{}(LANES)...});
#endif
}

// Lane l of the result is lane index(l) of a and b one after the other. index: a lambda without captures.
template <class V, class Index>
inline V pick(V a, V b, Index /*index*/) {
  return pick_lanes<V, Index>(a, b, std::make_integer_sequence<int, sizeof(V) / sizeof(float)>{});
}

template <class I, class F>
inline F as_float(I bits) {
  F f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

}  // namespace kazeia
