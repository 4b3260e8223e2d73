#!/usr/bin/env bash
# Checks that our C and C++ sources are formatted as .clang-format says; --fix formats them.
# Exit code 77 (a skip for ctest) where clang-format 16, whose output is the reference, is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v clang-format-16 >/dev/null; then
  echo "check_format: clang-format-16 is not installed (./kz ci-tools)"
  exit 77
fi
folders=()
for folder in src include bindings apps tests bench; do
  if [[ -d $folder ]]; then folders+=("$folder"); fi
done
mapfile -t files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) ! -name '*_generated.*' | sort)
if [[ ${1:-} == --fix ]]; then
  clang-format-16 -i "${files[@]}"
else
  clang-format-16 --dry-run -Werror --ferror-limit=3 "${files[@]}" || { echo "check_format: run tools/check_format.sh --fix"; exit 1; }
fi
echo "check_format: ${#files[@]} files are formatted"
