// A safetensors file as text and bytes, for tests and fuzzers of its reader.
#pragma once
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace kazeia::test {

// header: any text; the size field says header.size() unless told otherwise.
inline std::string safetensors_image(const std::string& header, const std::string& data) {
  std::string image(8, '\0');
  const uint64_t size = header.size();
  std::memcpy(image.data(), &size, 8);
  return image + header + data;
}

struct SafetensorsParts {
  nlohmann::json header;
  std::string data;
};

inline SafetensorsParts split_safetensors(const std::string& image) {
  uint64_t size = 0;
  std::memcpy(&size, image.data(), 8);
  return {nlohmann::json::parse(image.substr(8, size)), image.substr(8 + size)};
}

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace kazeia::test
