#!/usr/bin/env bash
# Tests the kernels and the team of threads for 64-bit ARM on an x86-64 machine: built by the cross compiler, run by
# qemu as CPUs with and without the dot product instructions. Each must offer exactly the tables that it can run.
#
#   tools/check_aarch64.sh [FOLDER]     builds in FOLDER, or in build/aarch64; KAZEIA_JOBS compilers at a time, or 1
#
# Debian and Ubuntu: apt-get install g++-aarch64-linux-gnu qemu-user libgtest-dev ninja-build
# Nothing is downloaded. Exit code 77 (a skip for ctest) where a tool or the ggml source is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-build/aarch64}
target=aarch64-linux-gnu
gtest_source=/usr/src/googletest
# CPU of qemu: the tables that it can run, the best first.
declare -A tables=(
  [cortex-a53]="neon scalar"
  [cortex-a76]="neon_dotprod neon scalar"
  [max]="neon_dotprod neon scalar"
)
tests=(kernels_test thread_pool_test)

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

# configure SOURCE BUILD OPTIONS...
configure() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER="$target-gcc" -DCMAKE_CXX_COMPILER="$target-g++" "${@:3}"
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
# The engine's own build, of which only what the tests need is compiled.
quietly configure configure . "$folder" -DKAZEIA_APPS=OFF -DKAZEIA_NATIVE=OFF -DGTest_DIR="$gtest/installed/lib/cmake/GTest"
quietly build ninja -C "$folder" -j "$jobs" "${tests[@]}"

failed=0
for cpu in "${!tables[@]}"; do
  for test in "${tests[@]}"; do
    if ! qemu-aarch64 -cpu "$cpu" -L "/usr/$target" "$folder/tests/$test" --gtest_brief=1 \
      --gtest_output="xml:$folder/$cpu-$test.xml"; then
      echo "check_aarch64: $test failed on $cpu"
      failed=1
    fi
  done
  # kernels_test leaves the names in its report.
  found=$(sed -n 's/.*name="usable_kernels" value="\([^"]*\)".*/\1/p' "$folder/$cpu-kernels_test.xml")
  echo "check_aarch64: $cpu runs $found"
  if [[ $found != "${tables[$cpu]}" ]]; then
    echo "check_aarch64: $cpu: expected the tables '${tables[$cpu]}', found '$found'"
    failed=1
  fi
done
exit "$failed"
