# labels: slow
"""The full-size random 0.6B in float32 against the official code: 496 of 496 greedy codes, and how far each storage type
is from float32.

Needs numpy (installed into a virtual environment under build/ if it is missing), 10 GB of disk under the system's
temporary folder, 6 GB of memory and a few minutes. Skipped with its reason where numpy can't be had.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["KAZEIA_CLI"]
GOLDEN = ROOT / "tests/golden/data/full-0.6b"
SCRIPT = ROOT / "tools/golden/full_0.6b.py"
# Cosine of the teacher-forced logits with those of float32, the worst step. q8_0 is the promise of the documentation;
# the others only guard against a broken conversion.
LOWEST_COSINE = {"bf16": 0.9999, "q8_0": 0.999, "mixed": 0.98, "q4_0": 0.85}


def python_with_numpy():
    """The interpreter to run the generator with; None if numpy can't be had."""
    if subprocess.run([sys.executable, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
        return sys.executable
    folder = ROOT / "build/full-size-venv"
    python = folder / "bin/python3"
    requirement = next(line for line in (ROOT / "tools/golden/requirements.txt").read_text().splitlines() if line.startswith("numpy"))
    for command in (
        [sys.executable, "-m", "venv", folder],
        [python, "-m", "pip", "install", "--quiet", requirement],
    ):
        if subprocess.run(command).returncode != 0:
            return None
    return python


class FullSizeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = python_with_numpy()
        if cls.python is None:
            raise unittest.SkipTest("numpy can't be installed")
        cls.temporary = tempfile.TemporaryDirectory(prefix="kazeia-full-size-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.run_script("make", cls.folder / "checkpoint")
        cls.request = json.loads((GOLDEN / "manifest.json").read_text())["request"]

    @classmethod
    def run_script(cls, *arguments):
        subprocess.run([cls.python, SCRIPT, *arguments], check=True)

    def kazeia(self, *arguments):
        subprocess.run([PROGRAM, *arguments], check=True, stderr=subprocess.DEVNULL)

    def convert(self, storage_type):
        model = self.folder / f"{storage_type}.gguf"
        self.kazeia("convert", self.folder / "checkpoint", "-o", model, "--type", storage_type)
        return model

    def say_greedily(self, model, codes):
        voice = ["-v", self.request["speaker"], "-l", self.request["language"]]
        settings = ["--greedy", "--max-frames", "31", "--seed", "1", "--codes", codes, "-o", self.folder / "speech.wav"]
        self.kazeia("say", "-m", model, *voice, *settings, self.request["text"])

    def trace(self, model, codes, output):
        voice = ["-v", self.request["speaker"], "-l", self.request["language"]]
        self.kazeia("trace", "-m", model, *voice, "--text", self.request["text"], "--codes", codes, "-o", output)

    def lowest_cosine(self, expected, found):
        script = """
import sys, numpy
lowest = 1.0
for name in ("talker_logits", "cp_logits"):
    a, b = (numpy.load(f"{folder}/{name}.npy").astype(numpy.float64) for folder in sys.argv[1:])
    a, b = a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])
    lowest = min(lowest, ((a * b).sum(1) / numpy.sqrt((a * a).sum(1) * (b * b).sum(1))).min())
print(lowest)
"""
        return float(subprocess.run([self.python, "-c", script, expected, found], check=True, capture_output=True).stdout)

    def test_float32_gives_the_official_codes_and_every_type_stays_near_it(self):
        exact = self.convert("f32")
        codes = self.folder / "codes.npy"
        self.say_greedily(exact, codes)
        self.run_script("compare", codes)  # fails unless all 496 are equal

        self.trace(exact, codes, self.folder / "trace-f32")
        exact.unlink()
        for storage_type, lowest in LOWEST_COSINE.items():
            with self.subTest(storage_type):
                model = self.convert(storage_type)
                self.trace(model, codes, self.folder / "trace")
                model.unlink()
                cosine = self.lowest_cosine(self.folder / "trace-f32", self.folder / "trace")
                print(f"{storage_type}: lowest cosine {cosine:.6f}", flush=True)
                self.assertGreaterEqual(cosine, lowest)


if __name__ == "__main__":
    unittest.main()
