// JSON text to a tree, with bounds and errors that name the place. Only .cpp files of src/formats include this, so that
// nothing else sees the JSON library.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "base/result.h"

namespace kazeia {

// `where` is the file for messages. Rejected with the byte position: syntax errors, invalid UTF-8, a key twice in one
// object, more than 64 levels, more than 100 MiB.
Result<nlohmann::json> parse_json(std::span<const std::byte> text, const std::string& where);

Result<nlohmann::json> read_json_file(const std::string& path);

// What a value is, for messages: "object", "string \"gelu\"", "number 3".
std::string describe(const nlohmann::json& value);

}  // namespace kazeia
