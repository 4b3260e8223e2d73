"""Runs the graphs of the teacher. Times are in its own steps of 25 ms (600 samples at 24 kHz)."""
import json
from dataclasses import dataclass

import numpy as np
import onnxruntime as ort

from kvoice import paths, teacher_graph as tg

STEP_SAMPLES = 600
STEPS_PER_SECOND = 40
VOICES = {"english": "af_heart", "french": "ff_siwis"}


@dataclass
class Reading:
    """What the teacher thinks of a sentence before any timing: n phoneme symbols with its two end marks."""
    symbols: list      # n characters, the two ends are ""
    durations: np.ndarray  # [n] steps, not rounded
    states: np.ndarray     # [n, 512] phoneme states
    prosody: np.ndarray    # [1, n, c] input of the pitch predictor
    style: np.ndarray      # [1, 256]


@dataclass
class Timed:
    """The same sentence on given integer durations, T = their sum."""
    f0: np.ndarray      # [2T] Hz, 12.5 ms steps
    energy: np.ndarray  # [2T]
    aligned: np.ndarray  # [1, 512, T]


class Teacher:
    def __init__(self, threads=1):
        folder = paths.root() / "teacher"
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._sessions = {}
        self._open = lambda name: ort.InferenceSession(str(folder / f"{name}.onnx"), options, providers=["CPUExecutionProvider"])
        self.vocab = json.loads((folder / "vocab.json").read_text())
        self._styles = {lang: np.fromfile(folder / f"{v}.bin", np.float32).reshape(-1, 1, 256) for lang, v in VOICES.items()}

    def _run(self, name, feed):
        if name not in self._sessions:
            self._sessions[name] = self._open(name)
        session = self._sessions[name]
        wanted = {i.name for i in session.get_inputs()}
        return session.run(None, {k: v for k, v in feed.items() if k in wanted})

    def read(self, phonemes, language) -> Reading:
        symbols = [c for c in phonemes if c in self.vocab]
        styles = self._styles[language]
        style = styles[min(len(symbols), len(styles)) - 1]
        tokens = np.array([[0, *(self.vocab[c] for c in symbols), 0]], np.int64)
        durations, prosody, states = self._run("text", {"tokens": tokens, "style": style, "speed": np.ones(1, np.float32)})
        return Reading(["", *symbols, ""], durations.ravel(), states[0].T, prosody, style)

    def time(self, reading, steps) -> Timed:
        """steps: [n] integer durations."""
        feed = {tg.ROUNDED: np.asarray(steps, np.float32)[None], tg.PROSODY: reading.prosody,
                tg.PHONEMES: np.ascontiguousarray(reading.states.T[None]), "style": reading.style}
        f0, energy, aligned = self._run("prosody", feed)
        return Timed(f0.ravel(), energy.ravel(), aligned)

    def speak(self, reading, timed) -> np.ndarray:
        return np.asarray(self._run("vocoder", self._feed(reading, timed))[0], np.float32).ravel()

    def features(self, reading, timed) -> np.ndarray:
        """[512, 2T]: from here on the vocoder only turns what is decided into samples."""
        return self._run("features", self._feed(reading, timed))[0][0]

    @staticmethod
    def _feed(reading, timed):
        return {tg.ALIGNED: timed.aligned, tg.F0: timed.f0[None], tg.ENERGY: timed.energy[None], "style": reading.style}
