# The tests of the Kotlin binding, run by Maven on what this build made; skipped where a JDK or Maven is missing.
#
#   android_jvm           the engine, on this machine's JVM                                    label jvm
#   android_robolectric   the Android part on Robolectric's Android, and the AAR               label robolectric
if(NOT TARGET kazeia_tts)
  return()
endif()
foreach(part IN ITEMS jvm robolectric)
  # Both use Maven's one repository in the home folder.
  add_test(NAME android_${part} COMMAND bash bindings/android/test.sh ${part} "${PROJECT_BINARY_DIR}" WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(android_${part} PROPERTIES LABELS ${part} RESOURCE_LOCK maven SKIP_RETURN_CODE 77 TIMEOUT 1800)
endforeach()
