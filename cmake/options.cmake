# Compiler options of our own targets. Third-party code is built with its own.

option(KAZEIA_WERROR "Treat warnings in our own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(KAZEIA_SIMD "Build the kernels for instruction sets beyond the scalar one" ON)
set(KAZEIA_SANITIZE "" CACHE STRING "Sanitizers, comma separated: 'address,undefined', 'thread' (see CMakePresets.json)")
option(KAZEIA_FUZZ "Build the fuzz targets (clang only)" OFF)

add_library(kazeia_options INTERFACE)
target_compile_features(kazeia_options INTERFACE cxx_std_20)
# One rounding per operation whatever the compiler: a*b+c becomes a fused multiply-add only where a kernel says so.
target_compile_options(kazeia_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Up to GCC 12 it reports "literal" + std::string as overlapping copies (GCC bug 105651).
  target_compile_options(kazeia_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(KAZEIA_WERROR)
  target_compile_options(kazeia_options INTERFACE -Werror)
endif()

if(KAZEIA_SANITIZE)
  # Address and thread sanitizers must see all code, ggml too; the undefined one is for ours, and stops at a finding.
  string(REPLACE "," ";" kazeia_sanitizers "${KAZEIA_SANITIZE}")
  foreach(sanitizer IN LISTS kazeia_sanitizers)
    if(sanitizer STREQUAL "undefined")
      target_compile_options(kazeia_options INTERFACE -fsanitize=undefined -fno-sanitize-recover=undefined)
    else()
      add_compile_options(-fsanitize=${sanitizer})
    endif()
  endforeach()
  add_compile_options(-fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code hides from GCC where standard containers set their members.
    target_compile_options(kazeia_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  add_link_options(-fsanitize=${KAZEIA_SANITIZE})
endif()

if(KAZEIA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "KAZEIA_FUZZ needs clang (libFuzzer); found ${CMAKE_CXX_COMPILER_ID}. Remedy: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
