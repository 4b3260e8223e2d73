"""Pairs the written words of a sentence with the teacher's phonemes, and says how long each naturally takes."""
from dataclasses import dataclass

STRESS = "ˈˌ"
PAUSES = set(' ;:,.!?—…"“”()')
STEPS_PER_FRAME = 3.2  # 80 ms frames of 25 ms steps
_LONG = 4.0            # steps after which a sound is stretched by a following pause


@dataclass
class Unit:
    """One sound: a phoneme with its stress mark, or a pause (space, punctuation)."""
    first: int     # index of its first symbol in the teacher's reading
    count: int     # symbols
    weight: float  # natural length in steps, with what the pause adds damped
    pause: bool


@dataclass
class Word:
    text: str    # as written, with the space before it and the punctuation after it
    units: list


def damped(steps):
    return steps if steps <= _LONG else _LONG + 0.35 * (steps - _LONG)


def units(symbols, durations, start, end):
    found, i = [], start
    while i < end:
        n = 2 if symbols[i] in STRESS and i + 1 < end and symbols[i + 1] not in PAUSES else 1
        pause = symbols[i] in PAUSES
        natural = float(sum(durations[i:i + n]))
        found.append(Unit(i, n, 0.5 * natural if pause else damped(natural), pause))
        i += n
    return found


def written_words(text):
    """The words of a text; punctuation that stands alone, as in French, goes with the word before it."""
    found = []
    for part in text.split(" "):
        if found and not any(c.isalnum() for c in part):
            found[-1] += " " + part
        else:
            found.append(part)
    return found


def pair(text, symbols, durations):
    """Words with their sounds, or None where text and phonemes do not have the same number of words."""
    written = written_words(text)
    bounds = [i for i, c in enumerate(symbols) if c == " "]
    if len(bounds) + 1 != len(written):
        return None
    starts = [1, *bounds]
    ends = [*bounds, len(symbols) - 1]
    if any(e - s < (2 if s > 1 else 1) for s, e in zip(starts, ends)):
        return None
    spaced = [written[0]] + [" " + w for w in written[1:]]
    return [Word(t, units(symbols, durations, s, e)) for t, s, e in zip(spaced, starts, ends)]


def natural_frames(word):
    return sum(u.weight for u in word.units) / STEPS_PER_FRAME


def needed_frames(word):
    """Frames below which a sound would get less than half a frame."""
    return sum(not u.pause for u in word.units) / 2
