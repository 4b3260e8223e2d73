"""Says sentences with the program, for the tests beside this file. Standard library only."""

import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
MODEL = ROOT / "models" / "kazeia-voice.gguf"
SKIPPED = 77  # ctest's answer for a test that could not run
LANGUAGES = {"en": "english", "fr": "french"}
RATE = 24000


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def model():
    path = pathlib.Path(os.environ.get("KAZEIA_VOICE", MODEL))
    if not path.is_file():
        skip(f"there is no default voice, {path}")
    return path


def program():
    return os.environ.get("KAZEIA_CLI") or str(ROOT / "build" / "release" / "kazeia")


def run(*arguments):
    done = subprocess.run([program(), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"kazeia {' '.join(map(str, arguments))}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def samples_of(data):
    """16-bit samples as floats in [-1, 1]."""
    return [s / 32767 for s in array.array("h", data)]


def say(text, language, seed, codes=None):
    """The bytes of the samples (16 bits, mono, 24 kHz) and the result part of the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        more = ["--codes", codes] if codes else []
        data = run("say", "-m", model(), "-l", LANGUAGES[language], "--seed", seed, "-o", "-", "--report", report, *more, "--", text)
        return data, json.loads(report.read_text(encoding="utf-8"))["result"]


def lines(path):
    return [line for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def spread(items, count):
    """`count` of them, evenly over the list."""
    if count >= len(items):
        return list(items)
    return [items[i * len(items) // count] for i in range(count)]


class Report:
    """Goes to standard output and into a file."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.file, self.failures = path, path.open("w", encoding="utf-8"), []

    def line(self, text=""):
        print(text)
        self.file.write(text + "\n")

    def check(self, holds, text):
        self.line(("ok      " if holds else "FAILED  ") + text)
        if not holds:
            self.failures.append(text)

    def finish(self):
        self.file.close()
        print(f"report: {self.path}")
        sys.exit(1 if self.failures else 0)
