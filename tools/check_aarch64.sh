#!/usr/bin/env bash
# Tests the engine for 64-bit ARM on an x86-64 machine: built by the cross compiler, run by qemu as CPUs with and without
# the dot product instructions, of bytes and of bf16 values. Each must offer exactly the kernels that it can run, and
# libkazeia_tts.so must be what a phone loads (tools/check_library.py).
#
#   tools/check_aarch64.sh [--full] [FOLDER]
#
# builds in FOLDER, or in build/aarch64; KAZEIA_JOBS compilers at a time, and later CPUs, or 1. Without --full only the
# kernels, the threads, and the native functions of the Kotlin binding (with the whole engine under them) are tested; with
# it every C++ test that needs no library of the host. CHECK_CPUS="cortex-a53" names some of the CPUs only.
#
# Debian and Ubuntu: apt-get install g++-aarch64-linux-gnu qemu-user libgtest-dev ninja-build default-jdk-headless
# Nothing is downloaded. Exit code 77 (a skip for ctest) where a tool or the ggml source is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

full=no
if [[ ${1:-} == --full ]]; then
  full=yes
  shift
fi
folder=${1:-build/aarch64}
target=aarch64-linux-gnu
gtest_source=/usr/src/googletest
kotlin=bindings/android/kazeia/src/main/kotlin/com/kazeia/tts/TtsJni.kt
# CPU of qemu: the kernels that it can run, the best first.
declare -A tables=(
  [cortex-a53]="neon scalar"
  [cortex-a76]="neon_dotprod neon scalar"
  [max]="neon_bf16 neon_dotprod neon scalar"
)
cpus=${CHECK_CPUS:-cortex-a53 cortex-a76 max}
quick_tests=(kernels_test elementwise_kernels_test tile_conv_test bf16_kernels_test thread_pool_test cpu_cores_test)
jni_tests=(abi_jni_test abi_jni_threads_test)

skip() {
  echo "check_aarch64: skipped, $1"
  exit 77
}

for tool in "$target-g++" qemu-aarch64 cmake ninja; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
[[ -f $gtest_source/CMakeLists.txt ]] || skip "the source of GoogleTest is not in $gtest_source"
compgen -G '.deps/ggml-*/include/ggml.h' >/dev/null || skip "the ggml source is not in .deps (./kz setup brings it)"

# quietly NAME COMMAND...: the output goes to FOLDER/NAME.log, whose end is shown when the command fails.
quietly() {
  local log="$folder/$1.log"
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  echo "check_aarch64: failed: $*"
  tail -n 30 "$log"
  exit 1
}

# configure SOURCE BUILD OPTIONS...: sections as the NDK makes them, so that what nothing uses is left out of the library.
configure() {
  local sections="-ffunction-sections -fdata-sections"
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER="$target-gcc" -DCMAKE_CXX_COMPILER="$target-g++" -DCMAKE_C_FLAGS="$sections" \
    -DCMAKE_CXX_FLAGS="$sections" "${@:3}"
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
jobs=${KAZEIA_JOBS:-1}
gtest="$folder/gtest"
if [[ ! -f $gtest/installed/lib/libgtest.a ]]; then
  quietly gtest-configure configure "$gtest_source" "$gtest" -DBUILD_GMOCK=OFF \
    -DCMAKE_INSTALL_PREFIX="$gtest/installed" -DCMAKE_INSTALL_LIBDIR=lib
  quietly gtest-build ninja -C "$gtest" -j "$jobs" install
fi
# The engine's own build; ctest starts each program in qemu, whose CPU is named by QEMU_CPU.
quietly configure configure . "$folder" -DKAZEIA_APPS=OFF -DKAZEIA_NATIVE=OFF -DGTest_DIR="$gtest/installed/lib/cmake/GTest" \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/$target"

has_jni=no
if command -v javac >/dev/null; then has_jni=yes; else echo "check_aarch64: no JDK, so the native functions are left out"; fi
if [[ $full == yes ]]; then
  targets=(all)
  selection=(-L '^(unit|golden|device|abi)$' -LE '^(slow|voice)$')
else
  targets=(kazeia_tts "${quick_tests[@]}")
  if [[ $has_jni == yes ]]; then targets+=("${jni_tests[@]}"); fi
  selection=(-R "^($(IFS='|' && echo "${quick_tests[*]}|${jni_tests[*]}"))\$")
fi
quietly build ninja -C "$folder" -j "$jobs" "${targets[@]}"

failed=0
library_checks=(--needs --strip "$target-strip" --max-bytes 4000000)
if [[ $has_jni == yes ]]; then library_checks+=(--kotlin "$kotlin"); fi
python3 -B tools/check_library.py "$folder/libkazeia_tts.so" "${library_checks[@]}" || failed=1

# check_cpu CPU: its tests one after the other, with a report of each in reports-CPU/. ctest keeps notes in its test folder,
# so each CPU has one of its own.
check_cpu() {
  local cpu=$1 reports="$folder/reports-$1" start=$SECONDS status=0 found
  rm -rf "$reports"
  mkdir -p "$reports"
  printf 'include("%s/CTestTestfile.cmake")\n' "$folder" >"$reports/CTestTestfile.cmake"
  if ! QEMU_CPU=$cpu GTEST_OUTPUT="xml:$reports/" ctest --test-dir "$reports" --output-on-failure "${selection[@]}" \
    >"$folder/$cpu.log" 2>&1; then
    echo "check_aarch64: tests failed on $cpu"
    tail -n 60 "$folder/$cpu.log"
    status=1
  fi
  # kernels_test leaves the names in its report.
  found=$(sed -n 's/.*name="usable_kernels" value="\([^"]*\)".*/\1/p' "$reports/kernels_test.xml")
  echo "check_aarch64: $cpu runs $found; $(sed -n 's/^\([0-9]*% tests passed.*\)/\1/p' "$folder/$cpu.log"), $((SECONDS - start)) s"
  if [[ $found != "${tables[$cpu]}" ]]; then
    echo "check_aarch64: $cpu: expected the kernels '${tables[$cpu]}', found '$found'"
    status=1
  fi
  return "$status"
}

# As many CPUs at a time as there are jobs. `wait -n` answers with what one of them returned.
running=0
for cpu in $cpus; do
  if ((running == jobs)); then
    wait -n || failed=1
    running=$((running - 1))
  fi
  check_cpu "$cpu" &
  running=$((running + 1))
done
for ((; running > 0; --running)); do wait -n || failed=1; done
exit "$failed"
