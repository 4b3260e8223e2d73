# Where ggml comes from: the pinned source, an installed copy, or a source folder of the user's.
#
# Result: the target kazeia_ggml (headers counted as system headers, so that our warnings stay ours), and, when ggml is
# built from source, kazeia_ggml_private with the headers an out-of-tree backend needs (the simulated device).

set(KAZEIA_GGML "pinned" CACHE STRING "ggml: 'pinned' (brought by tools/fetch_ggml.py), 'system' (find_package) or the path of a source folder")
option(KAZEIA_NATIVE "Let ggml use every instruction of this machine's CPU (off: a portable x86-64-v3 or armv8 build)" ${PROJECT_IS_TOP_LEVEL})

# Accelerators that ggml is built with, beside the CPU. Each needs its vendor's tools on the building machine
# (docs/devices.md names them); which devices are there is found out at run time (`kazeia doctor`).
set(kazeia_accelerators VULKAN OPENCL HEXAGON CUDA METAL)
foreach(accelerator IN LISTS kazeia_accelerators)
  option(KAZEIA_${accelerator} "Build ggml with its ${accelerator} backend" OFF)
  if(KAZEIA_${accelerator} AND NOT TARGET kazeia_accelerators)
    add_library(kazeia_accelerators INTERFACE)  # for the tests that need one
  endif()
endforeach()

add_library(kazeia_ggml INTERFACE)

if(KAZEIA_GGML STREQUAL "system")
  find_package(ggml CONFIG REQUIRED)
  target_link_libraries(kazeia_ggml INTERFACE ggml::ggml)
  return()
endif()

if(KAZEIA_GGML STREQUAL "pinned")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/fetch_ggml.py"
    OUTPUT_VARIABLE kazeia_ggml_source OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE kazeia_fetch_failed)
  if(kazeia_fetch_failed)
    message(FATAL_ERROR "The pinned ggml source is not available; the reason stands above.")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/ggml_pin.json")
else()
  get_filename_component(kazeia_ggml_source "${KAZEIA_GGML}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
  if(NOT EXISTS "${kazeia_ggml_source}/include/ggml.h")
    message(FATAL_ERROR "KAZEIA_GGML=${KAZEIA_GGML}: expected 'pinned', 'system' or a ggml source folder; ${kazeia_ggml_source}/include/ggml.h does not exist")
  endif()
endif()

set(KAZEIA_VULKAN_OPTIONS "" CACHE STRING "More compiler options of ggml's Vulkan backend; -O0 builds it faster")

# A function, so that what ggml needs set (static libraries, its own options) does not reach the rest of the project.
function(kazeia_add_ggml source)
  set(BUILD_SHARED_LIBS OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # it ends inside libkazeia_tts.so
  set(GGML_NATIVE ${KAZEIA_NATIVE} CACHE BOOL "" FORCE)
  set(GGML_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(GGML_BUILD_EXAMPLES OFF CACHE BOOL "" FORCE)
  set(GGML_CCACHE OFF CACHE BOOL "" FORCE)  # compiler launchers are the developer's choice
  # Threads are ours (one ggml_threadpool per engine); OpenMP would bring a runtime and a second pool.
  set(GGML_OPENMP OFF CACHE BOOL "" FORCE)
  # Streaming must equal offline bit for bit. The matmuls of llamafile choose their tile, and with it the order of the
  # sums, by the number of rows, so one frame at a time and all frames at once would differ in the last bits.
  set(GGML_LLAMAFILE OFF CACHE BOOL "" FORCE)
  # ggml asks git for its commit; inside our clone it would get ours, and rebuild with each commit of ours.
  set(GIT_EXE FALSE CACHE INTERNAL "")
  if(NOT KAZEIA_SIMD)
    foreach(set IN ITEMS SSE42 AVX AVX_VNNI AVX2 BMI2 AVX512 AVX512_VBMI AVX512_VNNI AVX512_BF16 FMA F16C AMX_TILE AMX_INT8 AMX_BF16)
      set(GGML_${set} OFF CACHE BOOL "" FORCE)
    endforeach()
    set(GGML_CPU_REPACK OFF CACHE BOOL "" FORCE)
  endif()
  foreach(accelerator IN LISTS kazeia_accelerators)
    set(GGML_${accelerator} ${KAZEIA_${accelerator}} CACHE BOOL "" FORCE)
  endforeach()
  # Its status lines are of no use to our users.
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  add_subdirectory("${source}" "${PROJECT_BINARY_DIR}/ggml" EXCLUDE_FROM_ALL)
  foreach(library IN ITEMS ggml ggml-base ggml-cpu ggml-vulkan ggml-opencl ggml-hexagon ggml-cuda ggml-metal)
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(includes ${library} INTERFACE_INCLUDE_DIRECTORIES)
    if(includes)
      set_target_properties(${library} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
    endif()
    # Its debug assertions and warnings are its authors' business; -w also keeps a first build's log readable.
    target_compile_options(${library} PRIVATE -w)
  endforeach()
  if(TARGET ggml-vulkan)
    target_compile_options(ggml-vulkan PRIVATE ${KAZEIA_VULKAN_OPTIONS})
    # Does nothing where the Vulkan headers are new enough.
    target_compile_options(ggml-vulkan PRIVATE "SHELL:-include \"${PROJECT_SOURCE_DIR}/cmake/vulkan_layer_settings.h\"")
    if(CMAKE_SYSTEM_NAME MATCHES "Linux|Android")  # --wrap is of their linkers
      file(STRINGS "${source}/src/ggml-vulkan/ggml-vulkan-types.h" bindings REGEX "^#define MAX_PARAMETER_COUNT [0-9]+$")
      string(REGEX REPLACE ".* " "" bindings "${bindings}")
      target_sources(ggml-vulkan PRIVATE "${PROJECT_SOURCE_DIR}/cmake/vulkan_bindings.cpp")
      set_source_files_properties("${PROJECT_SOURCE_DIR}/cmake/vulkan_bindings.cpp" TARGET_DIRECTORY ggml-vulkan
        PROPERTIES COMPILE_DEFINITIONS "KAZEIA_VULKAN_BINDINGS=${bindings}")
      target_link_options(ggml-vulkan INTERFACE "LINKER:--wrap=vkGetInstanceProcAddr")
    endif()
  endif()
endfunction()

kazeia_add_ggml("${kazeia_ggml_source}")
target_link_libraries(kazeia_ggml INTERFACE ggml)
add_library(kazeia_ggml_private INTERFACE)
target_include_directories(kazeia_ggml_private SYSTEM INTERFACE "${kazeia_ggml_source}/src")
target_link_libraries(kazeia_ggml_private INTERFACE kazeia_ggml)
