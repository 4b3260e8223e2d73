# The program `kazeia`. Argument parsing and audio files are libraries of hosts, so they are linked here only.
include(GNUInstallDirs)

find_package(CLI11 2.1 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET sndfile)

# Everything but main(), so that tests can link it.
file(GLOB cli_sources CONFIGURE_DEPENDS apps/*.cpp apps/cli/*.cpp)
list(REMOVE_ITEM cli_sources "${PROJECT_SOURCE_DIR}/apps/cli/main.cpp")
add_library(kazeia_apps STATIC ${cli_sources})
target_include_directories(kazeia_apps PUBLIC "${PROJECT_SOURCE_DIR}/apps")
target_link_libraries(kazeia_apps PRIVATE kazeia_options CLI11::CLI11 PkgConfig::SNDFILE PUBLIC kazeia_engine
  kazeia_stage_audio kazeia_stage_text kazeia_compute kazeia_formats nlohmann_json::nlohmann_json)
target_compile_definitions(kazeia_apps PRIVATE KAZEIA_VERSION="${PROJECT_VERSION}")
set_target_properties(kazeia_apps PROPERTIES CXX_EXTENSIONS OFF)

add_executable(kazeia apps/cli/main.cpp)
target_link_libraries(kazeia PRIVATE kazeia_options kazeia_apps)
set_target_properties(kazeia PROPERTIES CXX_EXTENSIONS OFF)
install(TARGETS kazeia RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Where the program looks for it: ../share/kazeia/models (apps/cli/session.h).
install(FILES models/kazeia-voice.gguf DESTINATION ${CMAKE_INSTALL_DATADIR}/kazeia/models OPTIONAL)
