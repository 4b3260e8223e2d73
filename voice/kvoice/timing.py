"""The timing that ties speech to text: each text token owns one 80 ms frame, and words keep near the frames of their tokens.

Frame t of the speech is predicted when text tokens 0..t have been fed. Speech trails the text so that the model can read ahead:
on the grid of the text the first word starts in frame LEAD, each later word LAG frames after its own first token. A word lasts
nearly as long as the teacher would say it, times the SPEED that fits its language to the grid on average: it may leave its place
on the grid by SLACK slots, and each word makes up for a PULL of that distance. What a word does depends on nothing that comes
later, so the talker can learn it. Within a word, half-frame slots are shared out among its sounds.
"""
from dataclasses import dataclass

import numpy as np

LEAD = 6   # silent frames before the first sound (480 ms): with less of them the teacher starts late and cuts it
LAG = 8    # frames from a later word's first token to its place on the grid
TAIL = {"english": 6, "french": 2}  # frames of silence after the last sound: with 2 the English teacher fades in the last word
SLACK = {"english": 0, "french": 4}  # slots by which a word may leave its place on the grid; English is learned better on it
PULL = 0.2  # share of that distance which each word makes up for
SPEED = {"english": 1.13, "french": 1.26}  # length on the grid over natural length
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
    """Whole numbers of slots in proportion to the weights, none below its least; the slots are enough for all of those."""
    least = np.asarray(least)
    ideal = np.maximum(np.asarray(weights, float), 1e-6)
    ideal *= slots / ideal.sum()
    given = np.maximum(np.floor(ideal).astype(int), least)
    while given.sum() > slots:
        over = np.where(given > least, given - ideal, -np.inf)
        given[int(over.argmax())] -= 1
    while given.sum() < slots:
        given[int((ideal - given).argmax())] += 1
    return given


def least_slots(word):
    """Slots per unit below which a word cannot be said: a space may vanish; punctuation keeps a slot."""
    return [0 if unit.pause and i == 0 else 1 for i, unit in enumerate(word.units)]


def word_lengths(words, counts, language):
    """Slots of each word, near its natural length and near the grid, or None where a word has too few tokens for its sounds."""
    at, grid, lengths, slack = 0, (LAG - LEAD) * SLOTS_PER_FRAME, [], SLACK[language]
    for word, count in zip(words, counts):
        grid += count * SLOTS_PER_FRAME
        end = at + sum(unit.weight for unit in word.units) / STEPS_PER_SLOT * SPEED[language]
        end = int(round(np.clip(end + PULL * (grid - end), grid - slack, grid + slack)))
        end = max(end, at + sum(least_slots(word)))
        if end > grid + slack:
            return None
        lengths.append(end - at)
        at = end
    return lengths


def lay_out(words, counts, symbol_count, language):
    """The Grid of a sentence, or None where a word has too few tokens for its sounds."""
    lengths = word_lengths(words, counts, language)
    if lengths is None:
        return None
    slots = [0] * (LEAD * SLOTS_PER_FRAME)
    for word, length in zip(words, lengths):
        given = share([unit.weight for unit in word.units], least_slots(word), length)
        for unit, n in zip(word.units, given):
            slots += [unit.first + unit.count - 1] * int(n)
    slots += [symbol_count - 1] * (TAIL[language] * SLOTS_PER_FRAME + len(slots) % SLOTS_PER_FRAME)
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
