"""What the ggml fetch promises: only the pinned bytes, all or nothing, and nothing to do the second time."""

import hashlib
import io
import pathlib
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import fetch_ggml  # noqa: E402

VERSION_LINES = "set(GGML_VERSION_MAJOR 1)\nset(GGML_VERSION_MINOR 2)\nset(GGML_VERSION_PATCH 3)\n"


class FetchGgmlTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.into = self.folder / "deps"

    def archive(self, **files):
        """An archive with these members under pkg-1/, and the pin that names it."""
        path = self.folder / "archive.tar.gz"
        with tarfile.open(path, "w:gz") as tar:
            for name, text in files.items():
                info = tarfile.TarInfo(f"pkg-1/{name}")
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text.encode()))
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        pin = {"version": "1.2.3", "package": "pkg", "package_version": "1", "sha256": sha256, "archive_root": "pkg-1"}
        return path, pin

    def good_archive(self):
        return self.archive(**{"ggml/CMakeLists.txt": VERSION_LINES, "ggml/src/ggml.c": "", "LICENSE": "MIT", "other": ""})

    def leftovers(self):
        return sorted(path.name for path in self.into.iterdir()) if self.into.exists() else []

    def test_ggml_and_its_licence_are_unpacked_and_nothing_else(self):
        archive, pin = self.good_archive()
        target = fetch_ggml.fetch(pin, self.into, archive)
        names = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
        self.assertEqual(["CMakeLists.txt", "LICENSE", "kazeia_stamp.json", "src/ggml.c"], names)
        self.assertEqual(["ggml-1.2.3"], self.leftovers())

    def test_a_second_call_does_not_need_the_archive(self):
        archive, pin = self.good_archive()
        target = fetch_ggml.fetch(pin, self.into, archive)
        archive.unlink()
        self.assertEqual(target, fetch_ggml.fetch(pin, self.into, archive))

    def test_another_hash_is_refused_and_leaves_nothing(self):
        archive, pin = self.good_archive()
        found = pin["sha256"]
        pin["sha256"] = "0" * 64
        with self.assertRaises(fetch_ggml.FetchError) as caught:
            fetch_ggml.fetch(pin, self.into, archive)
        self.assertIn("0" * 64, str(caught.exception))
        self.assertIn(found, str(caught.exception))
        self.assertEqual([], self.leftovers())

    def test_a_member_that_leaves_the_folder_is_refused(self):
        archive, pin = self.archive(**{"ggml/CMakeLists.txt": VERSION_LINES, "ggml/../../../evil": "x"})
        with self.assertRaises(fetch_ggml.FetchError):
            fetch_ggml.fetch(pin, self.into, archive)
        self.assertFalse((self.folder / "evil").exists())
        self.assertEqual([], self.leftovers())

    def test_an_archive_with_another_ggml_is_refused(self):
        archive, pin = self.archive(**{"ggml/CMakeLists.txt": "set(GGML_VERSION_MAJOR 9)\n"})
        with self.assertRaises(fetch_ggml.FetchError) as caught:
            fetch_ggml.fetch(pin, self.into, archive)
        self.assertIn("1.2.3", str(caught.exception))
        self.assertEqual([], self.leftovers())

    def test_a_missing_archive_is_named(self):
        _, pin = self.good_archive()
        with self.assertRaises(fetch_ggml.FetchError) as caught:
            fetch_ggml.fetch(pin, self.into, self.folder / "absent.tar.gz")
        self.assertIn("absent.tar.gz", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
