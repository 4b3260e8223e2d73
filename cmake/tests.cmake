# Tests: one executable and one ctest entry per file, found by glob.
#
#   tests/unit/*_test.cpp     one module each, no model files            label unit
#   tests/golden/*_test.cpp   against tensors of the official code       label golden
#   tests/device/*_test.cpp   the same checks on every device            label device
#   tests/abi/*_test.c, .cpp  the C interface, from C99, and JNI          label abi
#   tests/cli/*_test.py       the program, from outside                  label cli
#   tests/fuzz/*_fuzz.cpp     libFuzzer targets, preset fuzz only
#
# Three optional comments among the first lines of a test say more about it:
#   // links: kazeia_stage_text kazeia_formats    what it needs; without the line, the whole engine and tests/support
#   // labels: slow                               kept out of the default run, see docs/testing.md
#   // processors: 2                              its threads wait for each other: ctest runs little beside it

# The words after "// KEY:" in the first lines of a file.
function(kazeia_comment_words file key out)
  file(STRINGS "${file}" lines REGEX "^// ${key}:" LIMIT_COUNT 1)
  string(REGEX REPLACE "^// ${key}:[ ]*" "" words "${lines}")
  string(REGEX MATCHALL "[^ ,]+" words "${words}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

# A CPU that is played by an emulator takes about 80 times as long.
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(kazeia_test_timeout_s 7200)
else()
  set(kazeia_test_timeout_s 900)
endif()

function(kazeia_register_test name label source)
  kazeia_comment_words("${source}" labels labels)
  set_tests_properties(${name} PROPERTIES LABELS "${label};${labels}" TIMEOUT ${kazeia_test_timeout_s})
  kazeia_comment_words("${source}" processors processors)
  if(processors)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${processors})
  endif()
endfunction()

# Most of a test's build is the optimiser's time on code that runs once.
function(kazeia_build_test_fast name)
  if(KAZEIA_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# An executable from one source; LINKS replaces the default (everything) when the file asks for less.
function(kazeia_test_executable name source)
  add_executable(${name} "${source}")
  kazeia_comment_words("${source}" links links)
  if(NOT links)
    set(links kazeia_engine kazeia_test_support)
  endif()
  target_link_libraries(${name} PRIVATE kazeia_options ${links} ${ARGN})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${name} PRIVATE KAZEIA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  kazeia_build_test_fast(${name})
  if(TARGET kazeia_test_headers)
    target_precompile_headers(${name} REUSE_FROM kazeia_test_headers)
  endif()
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endfunction()

function(kazeia_add_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS "tests/${folder}/*_test.cpp")
  foreach(source IN LISTS sources)
    kazeia_comment_words("${source}" links links)
    # KAZEIA_APPS may be off, and an installed ggml has neither simulated devices nor drivers to compile.
    set(missing FALSE)
    foreach(link IN LISTS links)
      if(NOT TARGET ${link})
        set(missing TRUE)
      endif()
    endforeach()
    if(missing)
      continue()
    endif()
    get_filename_component(name "${source}" NAME_WE)
    if(NOT folder STREQUAL "unit")
      string(PREPEND name "${folder}_")
    endif()
    kazeia_test_executable(${name} "${source}" GTest::gtest_main ${ARGN})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    kazeia_register_test(${name} ${folder} "${source}")
  endforeach()
endfunction()

# .npy files, the form of the golden tensors, are read by the program's own code.
add_library(kazeia_npy STATIC apps/cli/npy.cpp)
target_include_directories(kazeia_npy PUBLIC "${PROJECT_SOURCE_DIR}/apps")
target_link_libraries(kazeia_npy PRIVATE kazeia_options PUBLIC kazeia_base kazeia_formats)
set_target_properties(kazeia_npy PROPERTIES CXX_EXTENSIONS OFF)

# Conversion is a job of the program that needs no library of the host, so its tests run in cross builds too.
add_library(kazeia_convert STATIC apps/cli/convert_model.cpp)
target_include_directories(kazeia_convert PUBLIC "${PROJECT_SOURCE_DIR}/apps")
target_link_libraries(kazeia_convert PRIVATE kazeia_options PUBLIC kazeia_compute kazeia_formats)
set_target_properties(kazeia_convert PROPERTIES CXX_EXTENSIONS OFF)

# The C interface beside the engine's own parts: a test lends it a backend of the ggml that is inside.
add_library(kazeia_c_interface STATIC EXCLUDE_FROM_ALL bindings/c/c_api.cpp)
target_link_libraries(kazeia_c_interface PRIVATE kazeia_options PUBLIC kazeia_engine)
target_compile_definitions(kazeia_c_interface PRIVATE KAZEIA_VERSION="${PROJECT_VERSION}")
set_target_properties(kazeia_c_interface PROPERTIES CXX_EXTENSIONS OFF)

kazeia_library(kazeia_test_support tests/support kazeia_engine kazeia_npy nlohmann_json::nlohmann_json)
if(TARGET kazeia_ggml_private)
  get_target_property(support_type kazeia_test_support TYPE)
  if(support_type STREQUAL "STATIC_LIBRARY")
    kazeia_build_test_fast(kazeia_test_support)
    target_link_libraries(kazeia_test_support PRIVATE kazeia_ggml_private)  # the simulated device is a ggml backend
    target_include_directories(kazeia_test_support PUBLIC "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(kazeia_test_support PRIVATE KAZEIA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
endif()

# ggml's driver for Hexagon, as it is, so that its rules can be asked for: tests/device/hexagon/README.md.
set(hexagon_driver "${kazeia_ggml_source}/src/ggml-hexagon")
if(KAZEIA_TESTS AND TARGET kazeia_ggml_private AND EXISTS "${hexagon_driver}/ggml-hexagon.cpp" AND NOT KAZEIA_HEXAGON
   AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_library(kazeia_hexagon_driver STATIC EXCLUDE_FROM_ALL "${hexagon_driver}/ggml-hexagon.cpp" tests/device/hexagon/driver.cpp)
  target_include_directories(kazeia_hexagon_driver PRIVATE tests/device/hexagon "${hexagon_driver}" "${hexagon_driver}/htp")
  # __fp16 is a type of the compilers for ARM and Hexagon; here it only has to have the right size.
  target_compile_options(kazeia_hexagon_driver PRIVATE -w -fpermissive -D__fp16=short)
  target_compile_features(kazeia_hexagon_driver PRIVATE cxx_std_17)
  target_link_libraries(kazeia_hexagon_driver PUBLIC kazeia_ggml_private)
endif()

if(KAZEIA_TESTS)
  find_package(GTest REQUIRED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What every test includes is parsed once for all.
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers.cpp" CONTENT "// tests.cmake precompiles the headers of the tests for it.\n")
    add_library(kazeia_test_headers OBJECT "${PROJECT_BINARY_DIR}/test_headers.cpp")
    target_link_libraries(kazeia_test_headers PRIVATE kazeia_options GTest::gtest)
    kazeia_build_test_fast(kazeia_test_headers)
    target_precompile_headers(kazeia_test_headers PRIVATE <gtest/gtest.h>)
    set_target_properties(kazeia_test_headers PROPERTIES CXX_EXTENSIONS OFF)
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  kazeia_add_tests(unit)
  kazeia_add_tests(golden)
  kazeia_add_tests(device)
  if(TARGET device_second_backend_test)
    # ggml takes a software driver for a device only when told to, and that driver compiles f16 shaders for minutes.
    # Without any driver the test says so and counts as skipped, not as passed.
    set_tests_properties(device_second_backend_test PROPERTIES ENVIRONMENT "GGML_VK_VISIBLE_DEVICES=0;GGML_VK_DISABLE_F16=1"
      TIMEOUT 1800 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endif()

  if(TARGET kazeia_tts)
    # The C interface is tested through the shared library, as its users get it.
    if(kazeia_has_jni)
      add_library(kazeia_mock_jvm OBJECT tests/abi/mock_jvm.cpp)
      target_link_libraries(kazeia_mock_jvm PRIVATE kazeia_options kazeia_tts GTest::gtest)
      target_include_directories(kazeia_mock_jvm SYSTEM PUBLIC ${kazeia_jni_includes})
      target_compile_definitions(kazeia_mock_jvm PRIVATE KAZEIA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      kazeia_build_test_fast(kazeia_mock_jvm)
    endif()
    file(GLOB sources CONFIGURE_DEPENDS tests/abi/*_test.c tests/abi/*_test.cpp)
    foreach(source IN LISTS sources)
      get_filename_component(name "${source}" NAME_WE)
      if(name MATCHES "^jni_" AND NOT kazeia_has_jni)
        continue()
      endif()
      add_executable(abi_${name} "${source}")
      kazeia_build_test_fast(abi_${name})
      target_link_libraries(abi_${name} PRIVATE kazeia_tts)
      target_compile_definitions(abi_${name} PRIVATE KAZEIA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      if(source MATCHES "\\.c$")
        target_compile_options(abi_${name} PRIVATE -std=c99 -pedantic -pedantic-errors -Wall -Wextra -Werror)
      else()
        target_link_libraries(abi_${name} PRIVATE kazeia_options GTest::gtest_main)
      endif()
      if(name MATCHES "^jni_")
        target_link_libraries(abi_${name} PRIVATE kazeia_mock_jvm)
        if(TARGET kazeia)
          target_compile_definitions(abi_${name} PRIVATE KAZEIA_PROGRAM="$<TARGET_FILE:kazeia>")
          add_dependencies(abi_${name} kazeia)
        endif()
      endif()
      set_target_properties(abi_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
      add_test(NAME abi_${name} COMMAND abi_${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      kazeia_register_test(abi_${name} abi "${source}")
    endforeach()
    set(library_checks "")
    if(kazeia_has_jni)
      list(APPEND library_checks --kotlin bindings/android/kazeia/src/main/kotlin/com/kazeia/tts/TtsJni.kt)
    endif()
    if(NOT KAZEIA_SANITIZE)
      list(APPEND library_checks --needs --strip "${CMAKE_STRIP}")
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        list(APPEND library_checks --max-bytes 4000000)
      endif()
    endif()
    add_test(NAME abi_library COMMAND "${Python3_EXECUTABLE}" -B tools/check_library.py $<TARGET_FILE:kazeia_tts> ${library_checks}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(abi_library PROPERTIES LABELS abi)
  endif()

  if(TARGET kazeia)
    file(GLOB sources CONFIGURE_DEPENDS tests/cli/*_test.py)
    foreach(source IN LISTS sources)
      get_filename_component(name "${source}" NAME_WE)
      add_test(NAME cli_${name} COMMAND "${Python3_EXECUTABLE}" -B "${source}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      file(STRINGS "${source}" labels REGEX "^# labels: slow" LIMIT_COUNT 1)
      set_tests_properties(cli_${name} PROPERTIES LABELS "cli;$<$<BOOL:${labels}>:slow>" TIMEOUT 900 ENVIRONMENT "KAZEIA_CLI=$<TARGET_FILE:kazeia>")
    endforeach()
  endif()

  # The default voice: a part in every run, everything with the label voice (./kz test --voice). 77: no voice in models/,
  # or no recogniser.
  if(TARGET kazeia)
    foreach(entry IN ITEMS "behaviour;40;200" "recognition;10;90")
      list(GET entry 0 kind)
      list(GET entry 1 part)
      list(GET entry 2 whole)
      set(command "${Python3_EXECUTABLE}" -B tests/voice/${kind}_test.py --out "${PROJECT_BINARY_DIR}/voice" --count)
      add_test(NAME voice_${kind} COMMAND ${command} ${part} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      add_test(NAME voice_${kind}_whole COMMAND ${command} ${whole} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(voice_${kind} voice_${kind}_whole PROPERTIES LABELS cli SKIP_RETURN_CODE 77 TIMEOUT 3600
        ENVIRONMENT "KAZEIA_CLI=$<TARGET_FILE:kazeia>" RESOURCE_LOCK voice_${kind})
      set_tests_properties(voice_${kind}_whole PROPERTIES LABELS voice)
    endforeach()
  endif()

  # The rules of the tree, and the tests of the tools that check them.
  add_test(NAME layers COMMAND "${Python3_EXECUTABLE}" -B tools/check_layers.py WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  add_test(NAME format COMMAND bash tools/check_format.sh WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(layers format PROPERTIES LABELS tree)
  set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)  # clang-format-16 is not installed
  if(NOT KAZEIA_SANITIZE AND NOT CMAKE_CROSSCOMPILING)  # it has a build of its own, the same for every preset
    add_test(NAME aarch64 COMMAND bash tools/check_aarch64.sh WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    add_test(NAME aarch64_full COMMAND bash tools/check_aarch64.sh --full WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(aarch64 aarch64_full PROPERTIES LABELS cross SKIP_RETURN_CODE 77 TIMEOUT 3600 RESOURCE_LOCK aarch64
      ENVIRONMENT KAZEIA_JOBS=2)
    set_tests_properties(aarch64 PROPERTIES COST 1000)  # the longest one begins, others fill the cores beside it
    set_tests_properties(aarch64_full PROPERTIES LABELS "cross;slow" TIMEOUT 14400 PROCESSORS 2)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS tests/tools/*_test.py)
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    add_test(NAME tools_${name} COMMAND "${Python3_EXECUTABLE}" -B "${source}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(tools_${name} PROPERTIES LABELS tree)
  endforeach()
endif()

if(KAZEIA_FUZZ)
  file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cpp)
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    kazeia_test_executable(${name} "${source}")
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  endforeach()
endif()
