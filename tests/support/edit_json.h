// Changes one place of a JSON file, for tests of broken or unusual models.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "support/tiny_checkpoint.h"

namespace kazeia::test {

// pointer: "/talker_config/hidden_size". Creates what is missing.
inline void set_json(const std::string& path, const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json document = nlohmann::json::parse(read_file(path));
  document[nlohmann::json::json_pointer(pointer)] = value;
  write_file(path, document.dump(2));
}

inline void erase_json(const std::string& path, const std::string& pointer, const std::string& key) {
  nlohmann::json document = nlohmann::json::parse(read_file(path));
  document[nlohmann::json::json_pointer(pointer)].erase(key);
  write_file(path, document.dump(2));
}

}  // namespace kazeia::test
