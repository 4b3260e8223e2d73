# nlohmann-json, a library of headers: the target nlohmann_json::nlohmann_json.
#
# The headers serve every target, so a cross compiler takes those of the building machine, through a folder that holds
# nothing else: what lies beside them in /usr/include is for that machine alone.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(nlohmann_json 3.10 REQUIRED)
  return()
endif()

find_path(KAZEIA_JSON_INCLUDE nlohmann/json.hpp PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED
  DOC "Folder with nlohmann/json.hpp")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/host_headers")
file(CREATE_LINK "${KAZEIA_JSON_INCLUDE}/nlohmann" "${PROJECT_BINARY_DIR}/host_headers/nlohmann" SYMBOLIC)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
target_include_directories(nlohmann_json::nlohmann_json INTERFACE "${PROJECT_BINARY_DIR}/host_headers")
