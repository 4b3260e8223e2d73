// A vector of kWidth floats, from the compiler's own vector types: one source, any instruction set. Each isa/*.cpp
// defines kWidth before it includes the kernels. Arithmetic is elementwise; a * b + c becomes one fused instruction
// there.
#pragma once
#include <cstdint>
#include <cstring>

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

template <class I, class F>
inline F as_float(I bits) {
  F f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

}  // namespace kazeia
