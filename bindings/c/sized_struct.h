// Structs that carry their own size, so that programs and library may be of different age.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "kazeia/engine.h"

namespace kazeia {

// The struct as this library knows it: fields that the caller's header lacks are zero. A caller with a newer header may
// pass a larger struct if what this library does not know is zero.
template <class T>
Result<T> read_sized(const T* from, const char* name) {
  if (from == nullptr) return Error{ErrorCode::invalid_argument, std::string(name) + ": the pointer is NULL"};
  const size_t size = from->size;
  // The oldest header has at least one field after the size; far more than ours is no size but garbage.
  if (size <= sizeof(size_t) || size > 16 * sizeof(T)) {
    return Error{ErrorCode::invalid_argument, std::string(name) + ".size: expected " + std::to_string(sizeof(T)) +
                                                  " (sizeof), found " + std::to_string(size)};
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    return Error{ErrorCode::unsupported,
                 std::string(name) + ": a field is set that this version of the library does not know"};
  }
  T known{};
  std::memcpy(&known, from, std::min(size, sizeof(T)));
  known.size = size;
  return known;
}

// Back into the caller's struct, as much as it has room for.
template <class T>
void write_sized(const T& from, T* to) {
  std::memcpy(to, &from, std::min(from.size, sizeof(T)));
}

}  // namespace kazeia
