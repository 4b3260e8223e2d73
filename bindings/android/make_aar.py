#!/usr/bin/env python3
"""Makes kazeia-tts-VERSION.aar and its .pom, the library that Android apps use. Needs Maven and a JDK, no Gradle.

    bindings/android/make_aar.py                      the library of the preset android-arm64, into build/android
    bindings/android/make_aar.py --library arm64-v8a=FILE --library x86_64=FILE -o FOLDER
    bindings/android/make_aar.py --jar FILE --jar FILE ...      with classes that Maven made already

Equal inputs give an equal file: entries are sorted and carry no dates.
"""

import argparse
import io
import os
import re
import struct
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ELF_MACHINES = {"arm64-v8a": 183, "x86_64": 62}
PAGE_BYTES = 16384  # the larger size of memory pages that Android devices have
# What R.txt says of service/src/main/res; build tools read it to know the resources of a library.
RESOURCES = ("int bool kazeia_tts_system_voice 0x0", "int string kazeia_tts_label 0x0", "int xml kazeia_tts_engine 0x0")


class Failure(Exception):
    pass


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def project_version():
    match = re.search(r"project\(kazeia VERSION ([0-9.]+)", read(os.path.join(ROOT, "CMakeLists.txt")).decode())
    return match.group(1)


def pom_property(name):
    pom = read(os.path.join(HERE, "pom.xml")).decode()
    return re.search(rf"<{re.escape(name)}>([^<]+)</{re.escape(name)}>", pom).group(1)


def elf_facts(data):
    """Of a 64-bit little-endian ELF file: its machine, the alignments of its LOAD segments, the libraries it needs."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise Failure("not a 64-bit ELF file")
    machine, = struct.unpack_from("<H", data, 18)
    program_offset, = struct.unpack_from("<Q", data, 32)
    entry_bytes, num_entries = struct.unpack_from("<HH", data, 54)
    loads, dynamic = [], None
    for index in range(num_entries):
        entry_at = program_offset + index * entry_bytes
        kind, _, offset, address, _, file_bytes, _, align = struct.unpack_from("<IIQQQQQQ", data, entry_at)
        if kind == 1:
            loads.append((address, offset, file_bytes, align))
        elif kind == 2:
            dynamic = data[offset:offset + file_bytes]
    if dynamic is None:
        raise Failure("not a shared library")
    entries = [struct.unpack_from("<QQ", dynamic, at) for at in range(0, len(dynamic) - 15, 16)]
    strings = next(value for tag, value in entries if tag == 5)
    strings = next(offset + strings - address for address, offset, size, _ in loads if address <= strings < address + size)
    needed = [data[strings + value:data.index(b"\0", strings + value)].decode() for tag, value in entries if tag == 1]
    return machine, [load[3] for load in loads], needed


def check_library(abi, path, data, foreign):
    """An Android library for that kind of CPU; foreign allows one that was linked for another system, for tests."""
    try:
        machine, alignments, needed = elf_facts(data)
    except (struct.error, StopIteration, ValueError) as error:
        raise Failure(f"{path}: a broken ELF file") from error
    except Failure as failure:
        raise Failure(f"{path}: {failure}") from failure
    if abi not in ELF_MACHINES or machine != ELF_MACHINES[abi]:
        raise Failure(f"{path}: expected a library for {abi} (of {', '.join(ELF_MACHINES)}), found ELF machine {machine}")
    if any(align < PAGE_BYTES for align in alignments):
        raise Failure(f"{path}: expected LOAD segments aligned to {PAGE_BYTES}, found {alignments}")
    unknown = sorted(set(needed) - {"libc.so", "libm.so", "libdl.so"})
    if unknown and not foreign:
        raise Failure(f"{path}: expected an Android library, which needs libc.so, libm.so and libdl.so at most; "
                      f"found {', '.join(unknown)}")


def build_jars(out):
    # From its folder, because .mvn/maven.config is looked for there.
    if subprocess.run(["mvn", "-q", f"-Dkazeia.out={out}", "-Dmaven.test.skip=true", "package"], cwd=HERE, check=False).returncode:
        raise Failure("Maven failed, see above")
    modules = ("kazeia-tts-jvm", "kazeia-tts-service")
    return [os.path.join(out, name, f"{name}-{project_version()}.jar") for name in modules]


def zip_bytes(entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, entries[name])
    return buffer.getvalue()


def merged_classes(jars):
    """The classes of all jars, and what Kotlin's compiler reads of them, in one jar."""
    classes = {}
    for jar in jars:
        with zipfile.ZipFile(io.BytesIO(read(jar))) as archive:
            for name in archive.namelist():
                if not name.endswith((".class", ".kotlin_module")):
                    continue
                if name in classes:
                    raise Failure(f"{jar}: {name} is in another jar too")
                classes[name] = archive.read(name)
    if not classes:
        raise Failure("the jars hold no class")
    return zip_bytes(classes)


def resources():
    folder = os.path.join(HERE, "service", "src", "main", "res")
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            yield "res/" + os.path.relpath(file, folder), read(file)


def pom(version):
    dependencies = (("org.jetbrains.kotlin", "kotlin-stdlib", pom_property("kotlin.version")),
                    ("org.jetbrains.kotlinx", "kotlinx-coroutines-core-jvm", pom_property("coroutines.version")))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<project xmlns="http://maven.apache.org/POM/4.0.0">',
             "  <modelVersion>4.0.0</modelVersion>", "  <groupId>com.kazeia</groupId>",
             "  <artifactId>kazeia-tts</artifactId>",
             f"  <version>{version}</version>", "  <packaging>aar</packaging>",
             "  <description>Speech from text on the device, with Qwen3-TTS models</description>", "  <licenses><license>",
             "    <name>Apache-2.0</name>", "  </license></licenses>", "  <dependencies>"]
    for group, artifact, dependency_version in dependencies:
        lines += ["    <dependency>", f"      <groupId>{group}</groupId>", f"      <artifactId>{artifact}</artifactId>",
                  f"      <version>{dependency_version}</version>", "      <scope>compile</scope>", "    </dependency>"]
    return "\n".join(lines + ["  </dependencies>", "</project>", ""])


def make(arguments):
    libraries = arguments.library or ["arm64-v8a=" + os.path.join(ROOT, "build", "android-arm64", "libkazeia_tts.so")]
    entries = {
        "AndroidManifest.xml": read(os.path.join(HERE, "service", "src", "main", "AndroidManifest.xml")),
        "R.txt": ("\n".join(RESOURCES) + "\n").encode(),
        "proguard.txt": read(os.path.join(HERE, "proguard.txt")),
        "META-INF/LICENSE": read(os.path.join(ROOT, "LICENSE")),
        "META-INF/NOTICE": read(os.path.join(ROOT, "NOTICE")),
        **dict(resources()),
    }
    for library in libraries:
        abi, _, path = library.partition("=")
        data = read(path)
        check_library(abi, path, data, arguments.foreign)
        entries[f"jni/{abi}/libkazeia_tts.so"] = data
    out = os.path.abspath(arguments.output)
    entries["classes.jar"] = merged_classes(arguments.jar or build_jars(out))
    version = project_version()
    os.makedirs(out, exist_ok=True)
    target = os.path.join(out, f"kazeia-tts-{version}")
    with open(target + ".aar.part", "wb") as file:
        file.write(zip_bytes(entries))
    os.replace(target + ".aar.part", target + ".aar")
    with open(target + ".pom", "w", encoding="utf-8") as file:
        file.write(pom(version))
    print(f"{target}.aar: {os.path.getsize(target + '.aar') / 1e6:.1f} MB, {', '.join(libraries)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", metavar="ABI=FILE",
                        help="a libkazeia_tts.so; may be given for several ABIs")
    parser.add_argument("--jar", action="append", metavar="FILE", help="classes, instead of calling Maven")
    parser.add_argument("--foreign", action="store_true",
                        help="take a library that was not linked for Android: for tests, of no use to apps")
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "build", "android"), metavar="FOLDER")
    try:
        make(parser.parse_args())
    except Failure as failure:
        sys.exit(f"make_aar: {failure}")


if __name__ == "__main__":
    main()
