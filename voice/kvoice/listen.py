"""Word and character error rate of audio by a recogniser (Whisper: tiny.en for English, base for French)."""
from functools import cache

import jiwer
import numpy as np
from scipy.signal import resample_poly

from kvoice import paths


@cache
def recogniser(name, threads):
    from faster_whisper import WhisperModel

    return WhisperModel(str(paths.root() / f"models/whisper-{name}"), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)


@cache
def normaliser(language):
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer() if language == "english" else BasicTextNormalizer()


def transcribe(samples, language, threads=1):
    """samples: 24 kHz float."""
    model = recogniser("tiny.en" if language == "english" else "base", threads)
    heard, _ = model.transcribe(resample_poly(samples, 2, 3).astype(np.float32), language=language[:2], beam_size=1, temperature=0.0,
                                condition_on_previous_text=False, without_timestamps=True)
    return " ".join(s.text.strip() for s in heard)


def score(pairs, language):
    """pairs: [(said, heard)] -> dict of WER, CER and the pairs that differ."""
    clean = normaliser(language)
    said, heard = [clean(a) for a, _ in pairs], [clean(b) for _, b in pairs]
    return {"wer": jiwer.wer(said, heard), "cer": jiwer.cer(said, heard), "wrong": [(a, b) for a, b in zip(said, heard) if a != b]}
