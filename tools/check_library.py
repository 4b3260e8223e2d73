#!/usr/bin/env python3
"""Checks what a phone asks of libkazeia_tts.so, and what its users may rely on.

    tools/check_library.py LIBRARY.so [--kotlin TtsJni.kt] [--needs] [--strip PROGRAM --max-bytes N]

Always: it exports exactly the kz_* functions of include/kazeia/kazeia.h and, with --kotlin, one function for each
native one of that file and JNI_OnLoad; every loaded segment is aligned to 16 KB (Android devices with such pages load
no other library). With --needs: it asks for no library but the C library and its parts. With --strip: its size without
symbols, as PROGRAM (the target's strip) leaves it, is at most N bytes.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
PAGE_BYTES = 16384
# Parts of the C library, on GNU systems and on Android; the first is the dynamic linker.
C_LIBRARY = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread)\.so(\.\d+)?")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def declared_in_header(path):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)
    # A function is declared as "kz_name("; callback types have "(*" before their name.
    return set(re.findall(r"(?<!\*)\b(kz_\w+)\s*\(", text))


def declared_in_kotlin(path):
    text = path.read_text(encoding="utf-8")
    package = re.search(r"^package ([\w.]+)", text, re.M).group(1).replace(".", "_")
    return {f"Java_{package}_{path.stem}_{name}" for name in re.findall(r"external fun (\w+)", text)} | {"JNI_OnLoad"}


def export_problems(library, declared):
    listing = output_of("readelf", "--dyn-syms", "-W", library)
    exported = set()
    for line in listing.splitlines():
        fields = line.split()
        # "Num: Value Size Type Bind Vis Ndx Name"; undefined ones are what the library needs.
        if len(fields) >= 8 and fields[0][:-1].isdigit() and fields[4] in ("GLOBAL", "WEAK") and fields[6] != "UND":
            exported.add(fields[7].split("@")[0])
    for name in sorted(exported - declared):
        yield f"exports {name}, which is not declared"
    for name in sorted(declared - exported):
        yield f"does not export {name}, which is declared"


def segment_problems(library):
    segments = [line.split() for line in output_of("readelf", "-lW", library).splitlines() if line.split()[:1] == ["LOAD"]]
    if not segments:
        yield "has no LOAD segment"
    for segment in segments:
        alignment = int(segment[-1], 16)
        if alignment < PAGE_BYTES:
            yield f"LOAD segment at {segment[2]}: expected an alignment of at least {PAGE_BYTES}, found {alignment}"


def need_problems(library):
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", library)):
        if not C_LIBRARY.fullmatch(name):
            yield f"needs {name}; expected nothing but the C library"


def stripped_bytes(library, strip):
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.so")
        subprocess.run([strip, "-o", stripped, library], check=True)
        return os.path.getsize(stripped)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--kotlin", type=pathlib.Path)
    parser.add_argument("--needs", action="store_true")
    parser.add_argument("--strip")
    parser.add_argument("--max-bytes", type=int)
    options = parser.parse_args()

    declared = declared_in_header(ROOT / "include/kazeia/kazeia.h")
    if options.kotlin:
        declared |= declared_in_kotlin(options.kotlin)
    problems = list(export_problems(options.library, declared)) + list(segment_problems(options.library))
    if options.needs:
        problems += need_problems(options.library)
    size = ""
    if options.strip:
        num_bytes = stripped_bytes(options.library, options.strip)
        size = f", {num_bytes:,} bytes stripped"
        if options.max_bytes and num_bytes > options.max_bytes:
            problems.append(f"expected at most {options.max_bytes:,} bytes without symbols, found {num_bytes:,}")
    for problem in problems:
        print(f"{options.library}: {problem}")
    print(f"check_library: {len(declared)} functions declared{size}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
