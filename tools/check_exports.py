#!/usr/bin/env python3
"""Checks that a shared library exports exactly the kz_* functions that its header declares.

    tools/check_exports.py LIBRARY.so HEADER.h
"""

import re
import subprocess
import sys


def main():
    library, header = sys.argv[1:3]
    listing = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines() if line.strip()}
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)
    # A function is declared as "kz_name("; callback types have "(*" before their name.
    declared = set(re.findall(r"(?<!\*)\b(kz_\w+)\s*\(", text))
    for name in sorted(exported - declared):
        print(f"{library}: exports {name}, which {header} does not declare")
    for name in sorted(declared - exported):
        print(f"{library}: does not export {name}, which {header} declares")
    print(f"check_exports: {len(exported & declared)} functions")
    return 0 if exported == declared and exported else 1


if __name__ == "__main__":
    sys.exit(main())
