# libkazeia_tts.so: the C interface of include/kazeia/kazeia.h. It contains everything and exports kz_* only.
include(GNUInstallDirs)

file(GLOB c_sources CONFIGURE_DEPENDS bindings/c/*.cpp)
if(NOT c_sources)
  return()
endif()
add_library(kazeia_tts SHARED ${c_sources})
target_link_libraries(kazeia_tts PRIVATE kazeia_options kazeia_engine)
target_compile_definitions(kazeia_tts PRIVATE KAZEIA_VERSION="${PROJECT_VERSION}")
target_include_directories(kazeia_tts PUBLIC "${PROJECT_SOURCE_DIR}/include")
target_link_options(kazeia_tts PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/bindings/c/kazeia.map" LINKER:--gc-sections)
if(NOT KAZEIA_SANITIZE)
  target_link_options(kazeia_tts PRIVATE LINKER:--no-undefined)  # sanitizer symbols come from the program
endif()
set_target_properties(kazeia_tts PROPERTIES
  CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/bindings/c/kazeia.map")
install(TARGETS kazeia_tts LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/kazeia DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
