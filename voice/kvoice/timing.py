"""The timing that ties speech to text: each text token owns one 80 ms frame, and each word lasts as many frames as it has tokens.

Frame t of the speech is predicted when text tokens 0..t have been fed. Speech trails the text so that the model can read ahead:
the first word starts in frame LEAD, each later word LAG frames after its own first token. A sentence of n tokens thus has
n + LAG + TAIL frames. Within a word, half-frame slots are shared out among its sounds.
"""
from dataclasses import dataclass

import numpy as np

LEAD = 3   # silent frames before the first sound (240 ms)
LAG = 5    # frames from a later word's first token to its first sound
TAIL = 2   # frames of silence after the last sound
SLOTS_PER_FRAME = 2
STEPS_PER_SLOT = 1.6  # 40 ms slots of 25 ms steps


@dataclass
class Grid:
    """A sentence on the grid: which teacher symbol sounds in each slot, and the durations that make the teacher say it so."""
    slots: np.ndarray  # [2 * frames] index of the symbol
    steps: np.ndarray  # [n] whole 25 ms steps per symbol
    frames: int


def tokens_per_word(words, encode):
    """Tokens of each word when encoded in place, or None where a token crosses a word's edge."""
    text, counts, total = "", [], 0
    for word in words:
        text += word.text
        n = len(encode(text))
        counts.append(n - total)
        total = n
    return counts if all(c > 0 for c in counts) else None


def share(weights, least, slots):
    """Whole numbers of slots in proportion to the weights, none below its least; None where they do not fit."""
    least = np.asarray(least)
    if least.sum() > slots:
        return None
    ideal = np.maximum(np.asarray(weights, float), 1e-6)
    ideal *= slots / ideal.sum()
    given = np.maximum(np.floor(ideal).astype(int), least)
    while given.sum() > slots:
        over = np.where(given > least, given - ideal, -np.inf)
        given[int(over.argmax())] -= 1
    while given.sum() < slots:
        given[int((ideal - given).argmax())] += 1
    return given


def word_slots(word, frames):
    """Slots per unit of one word. A space may vanish; punctuation keeps a slot; a long rest goes to the pauses and the last sound."""
    slots = frames * SLOTS_PER_FRAME
    spaces = [u.pause and i == 0 for i, u in enumerate(word.units)]
    weights = [u.weight for u in word.units]
    least = [0 if space else 1 for space in spaces]
    return share(weights, least, slots)


def lay_out(words, counts, symbol_count):
    """The Grid of a sentence, or None where a word has too few tokens for its sounds."""
    slots = [0] * (LEAD * SLOTS_PER_FRAME)
    for i, (word, count) in enumerate(zip(words, counts)):
        given = word_slots(word, count + (LAG - LEAD if i == 0 else 0))
        if given is None:
            return None
        for unit, n in zip(word.units, given):
            slots += [unit.first + unit.count - 1] * int(n)
    slots += [symbol_count - 1] * (TAIL * SLOTS_PER_FRAME)
    return Grid(np.array(slots), _steps(slots, words, symbol_count), len(slots) // SLOTS_PER_FRAME)


def _steps(slots, words, symbol_count):
    """Durations whose ends lie as near as whole steps can to the ends of the slots; a stress mark takes a step of a long sound."""
    slots = np.asarray(slots)
    steps, at = np.zeros(symbol_count, int), 0
    for symbol in range(symbol_count):
        end = int(round((slots <= symbol).sum() * STEPS_PER_SLOT))
        steps[symbol] = end - at
        at = end
    for word in words:
        for unit in word.units:
            if unit.count == 2 and steps[unit.first + 1] >= 3:
                steps[unit.first] += 1
                steps[unit.first + 1] -= 1
    return steps
