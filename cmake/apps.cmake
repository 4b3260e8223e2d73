# The program `kazeia`. Argument parsing and audio files are libraries of hosts, so they are linked here only.
include(GNUInstallDirs)

file(GLOB cli_sources CONFIGURE_DEPENDS apps/*.cpp apps/cli/*.cpp)
if(NOT cli_sources)
  return()
endif()
find_package(CLI11 2.1 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET sndfile)

add_executable(kazeia ${cli_sources})
target_include_directories(kazeia PRIVATE "${PROJECT_SOURCE_DIR}/apps")
target_link_libraries(kazeia PRIVATE kazeia_options kazeia_engine kazeia_stage_audio kazeia_compute kazeia_formats
  CLI11::CLI11 PkgConfig::SNDFILE nlohmann_json::nlohmann_json)
target_compile_definitions(kazeia PRIVATE KAZEIA_VERSION="${PROJECT_VERSION}")
set_target_properties(kazeia PROPERTIES CXX_EXTENSIONS OFF)
install(TARGETS kazeia RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
