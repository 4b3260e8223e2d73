"""bindings/android/make_aar.py: what it packs, and what it refuses. Without Maven and without a real library."""

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ANDROID = os.path.join(ROOT, "bindings", "android")


def library(needed=("libc.so", "libm.so"), machine=183, align=16384):
    """The smallest ELF file with a LOAD and a DYNAMIC segment."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in needed)
    dynamic_at = 64 + 2 * 56
    strings_at = dynamic_at + (len(needed) + 2) * 16
    dynamic, position = b"", 1
    for name in needed:
        dynamic += struct.pack("<QQ", 1, position)
        position += len(name) + 1
    dynamic += struct.pack("<QQ", 5, strings_at) + struct.pack("<QQ", 0, 0)
    size = strings_at + len(strings)
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, align)
    segments += struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, dynamic_at, 0, len(dynamic), len(dynamic), 8)
    return header + segments + dynamic + strings


class MakeAar(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.library = self.file("libkazeia_tts.so", library())
        self.jar = self.make_jar("a.jar", {"com/kazeia/tts/A.class": b"a", "META-INF/a.kotlin_module": b"m", "META-INF/MANIFEST.MF": b""})

    def file(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def make_jar(self, name, entries):
        path = os.path.join(self.folder.name, name)
        with zipfile.ZipFile(path, "w") as archive:
            for entry, data in entries.items():
                archive.writestr(entry, data)
        return path

    def make(self, *more, path=None, jars=None):
        command = [sys.executable, "-B", os.path.join(ANDROID, "make_aar.py"), "-o", self.folder.name, "--library",
                   f"arm64-v8a={path or self.library}"]
        for jar in jars or [self.jar]:
            command += ["--jar", jar]
        return subprocess.run(command + list(more), capture_output=True, text=True, check=False)

    def aar(self):
        name, = (name for name in os.listdir(self.folder.name) if name.endswith(".aar"))
        return os.path.join(self.folder.name, name)

    def test_packs_what_android_expects(self):
        other = self.make_jar("b.jar", {"com/kazeia/tts/B.class": b"b"})
        result = self.make(jars=[self.jar, other])
        self.assertEqual(result.returncode, 0, result.stderr)
        with zipfile.ZipFile(self.aar()) as archive:
            names = archive.namelist()
            for name in ("AndroidManifest.xml", "R.txt", "proguard.txt", "classes.jar", "jni/arm64-v8a/libkazeia_tts.so"):
                self.assertIn(name, names)
            resources = set(re.findall(r"^int \w+ (\w+) ", archive.read("R.txt").decode(), re.M))
            texts = "".join(archive.read(name).decode() for name in names if name.startswith("res/values"))
            files = {os.path.basename(name)[:-4] for name in names if name.startswith("res/") and "values" not in name}
            self.assertEqual(resources, files | set(re.findall(r'<\w+ name="(\w+)"', texts)))
            with archive.open("classes.jar") as jar, zipfile.ZipFile(jar) as classes:
                self.assertEqual(classes.namelist(), ["META-INF/a.kotlin_module", "com/kazeia/tts/A.class", "com/kazeia/tts/B.class"])

    def test_equal_inputs_give_equal_bytes(self):
        files = []
        for _ in range(2):
            self.assertEqual(self.make().returncode, 0)
            with open(self.aar(), "rb") as file:
                files.append(file.read())
        self.assertEqual(*files)

    def refused(self, data, word, *more):
        result = self.make(*more, path=self.file("other.so", data))
        self.assertEqual(result.returncode, 1)
        self.assertIn(word, result.stderr)
        self.assertFalse([name for name in os.listdir(self.folder.name) if ".aar" in name])

    def test_refuses_a_library_that_no_device_would_load(self):
        self.refused(library(needed=("libc.so.6",)), "libc.so.6")
        self.refused(library(machine=62), "machine 62")
        self.refused(library(align=4096), "4096")
        self.refused(b"no library", "ELF")
        self.refused(library()[:200], "broken")

    def test_a_foreign_library_is_taken_when_asked(self):
        self.assertEqual(self.make("--foreign", path=self.file("other.so", library(needed=("libc.so.6",)))).returncode, 0)

    def test_refuses_a_class_that_two_jars_hold(self):
        other = self.make_jar("b.jar", {"com/kazeia/tts/A.class": b"b"})
        self.assertIn("A.class", self.make(jars=[self.jar, other]).stderr)

    def test_all_say_the_same_version(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(kazeia VERSION ([0-9.]+)", file.read()).group(1)
        for pom in ("pom.xml", "kazeia/pom.xml", "service/pom.xml"):
            with open(os.path.join(ANDROID, pom), encoding="utf-8") as file:
                found = re.search(r"<artifactId>kazeia-tts-parent</artifactId>\s*<version>([^<]+)<", file.read()).group(1)
            self.assertEqual(found, version, pom)
        for text in ("example/build.gradle.kts", "../../docs/android.md"):
            with open(os.path.join(ANDROID, text), encoding="utf-8") as file:
                self.assertIn(f"kazeia-tts-{version}.aar", file.read(), text)


if __name__ == "__main__":
    unittest.main()
