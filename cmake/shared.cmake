# libkazeia_tts.so: the C interface of include/kazeia/kazeia.h and, where the headers of JNI are found, the native
# functions of the Kotlin binding. One file with everything inside, which needs nothing but the C library and exports
# these functions only (tools/check_library.py).
include(GNUInstallDirs)

file(GLOB c_sources CONFIGURE_DEPENDS bindings/c/*.cpp)
if(NOT c_sources)
  return()
endif()

# jni.h: the NDK has it among its own headers; elsewhere it is that of the JDK whose compiler is found. It is the same for
# all targets, so the JDK of the building machine serves when cross compiling.
set(kazeia_jni_includes "")
if(NOT ANDROID)
  find_program(KAZEIA_JAVAC javac HINTS ENV JAVA_HOME PATH_SUFFIXES bin DOC "The Java compiler of a JDK, whose jni.h is used")
  if(KAZEIA_JAVAC)
    file(REAL_PATH "${KAZEIA_JAVAC}" javac)
    get_filename_component(jdk_includes "${javac}/../../include" ABSOLUTE)
    string(TOLOWER "${CMAKE_HOST_SYSTEM_NAME}" jdk_system)
    if(EXISTS "${jdk_includes}/jni.h" AND EXISTS "${jdk_includes}/${jdk_system}/jni_md.h")
      set(kazeia_jni_includes "${jdk_includes}" "${jdk_includes}/${jdk_system}")
    endif()
  endif()
endif()
set(jni_sources "")
if(ANDROID OR kazeia_jni_includes)
  set(kazeia_has_jni TRUE)
  file(GLOB jni_sources CONFIGURE_DEPENDS bindings/android/jni/*.cpp)
else()
  set(kazeia_has_jni FALSE)
  message(STATUS "No JDK with jni.h found (JAVA_HOME helps): libkazeia_tts comes without the native functions of the Kotlin binding")
endif()

add_library(kazeia_tts SHARED ${c_sources} ${jni_sources})
target_link_libraries(kazeia_tts PRIVATE kazeia_options kazeia_engine)
target_compile_definitions(kazeia_tts PRIVATE KAZEIA_VERSION="${PROJECT_VERSION}")
target_include_directories(kazeia_tts PUBLIC "${PROJECT_SOURCE_DIR}/include")
target_include_directories(kazeia_tts SYSTEM PRIVATE ${kazeia_jni_includes})
# Android devices may have memory pages of 16 KB, and load no library that is aligned to less.
target_link_options(kazeia_tts PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/bindings/c/kazeia.map" LINKER:--gc-sections
  LINKER:-z,max-page-size=16384)
if(NOT KAZEIA_SANITIZE)
  target_link_options(kazeia_tts PRIVATE LINKER:--no-undefined)  # sanitizer symbols come from the program
  if(NOT ANDROID)  # there ANDROID_STL=c++_static does it
    target_link_options(kazeia_tts PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endif()
set_target_properties(kazeia_tts PROPERTIES
  CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/bindings/c/kazeia.map")
install(TARGETS kazeia_tts LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/kazeia DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
