#!/usr/bin/env bash
# Tests the Kotlin binding with Maven, on the libkazeia_tts.so and the program of a build folder; ctest calls it.
#
#   bindings/android/test.sh jvm BUILD           the engine, on this machine's JVM (its first run downloads about 80 MB)
#   bindings/android/test.sh robolectric BUILD   the Android part, on Robolectric's Android, and the AAR (another 550 MB)
#
# What Maven makes lies in BUILD/jvm. Exit code 77 (a skip for ctest) where a JDK, Maven or a download is not to be had.
set -uo pipefail

part=${1:?jvm or robolectric}
build=$(cd "${2:?a build folder}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out="$build/jvm"
log="$out/$part.log"

skip() {
  echo "test.sh: skipped, $1"
  exit 77
}

for tool in java javac mvn; do
  command -v "$tool" >/dev/null || skip "$tool is not installed (Debian and Ubuntu: apt-get install maven default-jdk-headless)"
done
[[ -f $build/libkazeia_tts.so ]] || skip "$build/libkazeia_tts.so is not built"
grep -q Java_com_kazeia "$build/libkazeia_tts.so" || skip "$build/libkazeia_tts.so was built without the headers of JNI"

case $part in
  jvm) goals=(-pl kazeia test) ;;
  robolectric) goals=(-pl service -am -Probolectric package "-Dtest=com.kazeia.tts.android.*Test" -Dsurefire.failIfNoSpecifiedTests=false) ;;
  *) echo "test.sh: unknown part '$part'" && exit 2 ;;
esac
mkdir -p "$out"
# From its folder, because .mvn/maven.config is looked for there.
cd "$here" || exit 1
mvn "-Dkazeia.out=$out" "-Dkazeia.library.dir=$build" "-Dkazeia.cli=$build/kazeia" "${goals[@]}" >"$log" 2>&1 </dev/null
status=$?
grep -E 'Tests run:|FAILURE|^\[ERROR\]|resident memory' "$log" | head -n 60
if ((status != 0)); then
  if ! grep -q 'Tests run:' "$log" && grep -qE 'Could not (resolve|transfer|find)|Non-resolvable|Unknown host|unresolvable' "$log"; then
    skip "Maven can't bring what the build needs (whole log: $log)"
  fi
  echo "test.sh: Maven failed (whole log: $log)"
  tail -n 40 "$log"
  exit 1
fi
# What -Xcheck:jni finds does not fail a test by itself.
if grep -nE '(WARNING|FATAL ERROR) in native method|WARNING: JNI' -A 8 "$log"; then
  echo "test.sh: the VM found wrong JNI calls (whole log: $log)"
  exit 1
fi
if [[ $part == robolectric ]]; then exec python3 -B "$here/check_aar.py" "$build"; fi
