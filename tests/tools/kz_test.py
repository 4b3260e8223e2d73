"""What ./kz promises on machines that lack something. Its tools are stand-ins here: nothing is installed or built."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

REPO = pathlib.Path(__file__).parents[2]
REAL_TOOLS = "bash cat cut dirname env flock grep head mkdir rm sed tail tee touch awk nproc".split()


class KzTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.clone = self.root / "clone"
        self.clone.mkdir()
        shutil.copy(REPO / "kz", self.clone)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for tool in REAL_TOOLS:
            if shutil.which(tool):
                (self.bin / tool).symlink_to(shutil.which(tool))
        self.calls = self.root / "calls"
        self.calls.write_text("")
        # A machine with everything: each stand-in notes its call.
        self.stand_in("id", "echo 0")
        self.stand_in("dpkg-query", "echo installed")
        for tool in ("apt-get", "c++", "pkg-config", "python3", "ctest"):
            self.stand_in(tool, "")
        build = self.clone / "build" / "release"
        self.stand_in("cmake", f"mkdir -p {build}; touch {build}/build.ninja; "
                      f"echo CMAKE_HOME_DIRECTORY:INTERNAL={self.clone} >{build}/CMakeCache.txt")
        self.stand_in("ninja", f"echo 'echo \"spoken: $*\"' >{build}/kazeia; chmod +x {build}/kazeia")
        (self.bin / "chmod").symlink_to(shutil.which("chmod"))

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>{self.calls}\n{body}\n')
        path.chmod(0o755)

    def kz(self, *arguments, **environment):
        done = subprocess.run(
            [str(self.clone / "kz"), *arguments],
            env={"PATH": str(self.bin), "LC_ALL": "C", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    def called(self, start):
        return [line for line in self.calls.read_text().splitlines() if line.startswith(start)]

    def missing(self, *packages):
        """Makes dpkg-query answer that these packages are not installed."""
        self.stand_in("dpkg-query", f'case " {" ".join(packages)} " in *" ${{@: -1}} "*) exit 1;; esac; echo installed')

    def test_the_program_gets_the_arguments_and_stdout_is_its_own(self):
        code, out, err = self.kz("say", "two words", "-o", "-")
        self.assertEqual((0, "spoken: say two words -o -\n"), (code, out), err)

    def test_help_installs_and_builds_nothing(self):
        code, out, _ = self.kz("help")
        self.assertEqual(0, code)
        self.assertIn("./kz say", out)
        self.assertEqual("", self.calls.read_text())

    def test_missing_packages_are_named_before_they_are_installed(self):
        self.missing("ninja-build", "libgtest-dev")
        code, _, err = self.kz("setup")
        self.assertEqual(0, code, err)
        self.assertIn("installing 2 packages with apt-get: ninja-build libgtest-dev", err)
        self.assertTrue(self.called("apt-get")[-1].endswith("install -y --no-install-recommends ninja-build libgtest-dev"))

    def test_nothing_is_installed_when_nothing_is_missing(self):
        code, _, err = self.kz("setup")
        self.assertEqual((0, []), (code, self.called("apt-get")), err)

    def test_a_second_call_neither_asks_for_packages_nor_configures(self):
        self.kz("build")
        self.calls.write_text("")
        code, _, err = self.kz("build")
        self.assertEqual(0, code, err)
        self.assertEqual(["ninja"], sorted({line.split()[0] for line in self.calls.read_text().splitlines()}))

    def test_a_build_with_nothing_to_do_says_nothing(self):
        self.kz("say", "x")
        self.stand_in("ninja", 'echo "[0/2] Re-checking globbed directories..."; echo "ninja: no work to do."')
        self.assertEqual((0, "spoken: say x\n", ""), self.kz("say", "x"))

    def test_without_root_and_sudo_the_remedy_is_the_exact_command(self):
        self.stand_in("id", "echo 1000")
        self.missing("cmake")
        code, _, err = self.kz("say", "x")
        self.assertEqual(1, code)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends cmake\n", err)
        self.assertEqual([], self.called("apt-get"))

    def test_without_root_sudo_installs(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", "")
        self.missing("cmake")
        code, _, err = self.kz("setup")
        self.assertEqual(0, code, err)
        self.assertIn("install -y --no-install-recommends cmake", self.called("sudo")[-1])
        self.assertEqual([], self.called("apt-get"))

    def test_a_failing_installation_shows_reason_and_remedy(self):
        self.missing("cmake")
        self.stand_in("apt-get", 'case "$*" in *install*) echo "E: Unable to locate package cmake"; exit 100;; esac')
        code, _, err = self.kz("setup")
        self.assertEqual(1, code)
        self.assertIn("E: Unable to locate package cmake", err)
        self.assertIn("Remedy:", err)

    def test_where_there_is_no_apt_the_missing_tools_are_named(self):
        (self.bin / "apt-get").unlink()
        (self.bin / "pkg-config").unlink()
        code, _, err = self.kz("setup")
        self.assertEqual(1, code)
        self.assertIn("these programs are missing: pkg-config", err)

    def test_a_failing_configuration_shows_its_reason_and_is_tried_again(self):
        good = (self.bin / "cmake").read_text()
        self.stand_in("cmake", 'echo "-- fine"; echo "CMake Error at x: GTest is missing"; exit 1')
        code, _, err = self.kz("build")
        self.assertEqual(1, code)
        self.assertIn("GTest is missing", err)
        self.assertNotIn("-- fine", err)
        (self.bin / "cmake").write_text(good)
        self.assertEqual(0, self.kz("build")[0])

    def test_a_failing_build_shows_its_first_error(self):
        self.stand_in("ninja", 'echo "[1/2] a.cpp"; echo "a.cpp:3:1: error: no such thing"; exit 1')
        code, _, err = self.kz("build")
        self.assertEqual(1, code)
        self.assertIn("a.cpp:3:1: error: no such thing", err)
        self.assertNotIn("[1/2]", err)

    def test_a_clone_that_was_moved_is_configured_again(self):
        self.kz("build")
        (self.clone / "build/release/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.calls.write_text("")
        self.assertEqual(0, self.kz("build")[0])
        self.assertEqual(1, len(self.called("cmake")))

    def test_slow_and_voice_tests_run_only_when_asked_for(self):
        expected = (([], "^(slow|voice|robolectric)$"), (["--full"], "^voice$"), (["--voice"], "^(slow|robolectric)$"))
        for arguments, left_out in expected:
            self.kz("test", *arguments)
            self.assertIn(f"-LE {left_out}", self.called("ctest")[-1])
        self.kz("test", "--full", "--voice", "-R", "codec")
        self.assertNotIn("-LE", self.called("ctest")[-1])
        self.assertTrue(self.called("ctest")[-1].endswith("-R codec"))


if __name__ == "__main__":
    unittest.main()
