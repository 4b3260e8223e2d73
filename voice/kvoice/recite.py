"""A sentence from text to the teacher's signals on the grid: what both the codes and the audio are made from."""
from dataclasses import dataclass

import numpy as np

from kvoice import g2p, timing, words
from kvoice.teacher import Reading, Timed


@dataclass
class Recital:
    text: str
    language: str
    ids: list       # text tokens
    grid: timing.Grid
    reading: Reading
    timed: Timed


def recite(text, language, tokens, teacher):
    """The Recital, or None where text and phonemes cannot be laid on the grid."""
    reading = teacher.read(g2p.phonemes(text, language), language)
    found = words.pair(text, reading.symbols, reading.durations)
    counts = found and timing.tokens_per_word(found, tokens.encode)
    grid = counts and timing.lay_out(found, counts, len(reading.symbols), language)
    if not grid:
        return None
    return Recital(text, language, tokens.encode(text), grid, reading, teacher.time(reading, grid.steps))


def audio(recital, teacher):
    """24 kHz samples, exactly frames * 1920 of them."""
    samples = teacher.speak(recital.reading, recital.timed)
    wanted = recital.grid.frames * 1920
    return np.pad(samples, (0, max(0, wanted - len(samples))))[:wanted]
