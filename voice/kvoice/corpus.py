"""Shards of recited sentences: $KAZEIA_VOICE_DIR/corpus/<language>/NNNNN.pt, each a list of rows.

A row holds: text, language, ids (text tokens), frames, slots [2 * frames] (symbol per half frame), symbols, states [n, 512] (float16),
f0 and energy (12.5 ms steps), and audio (int16, frames * 1920) in the first shards only.
"""
import numpy as np
import torch

from kvoice import paths

PER_SHARD = 50


def folder(language):
    return paths.sub(f"corpus/{language}")


def shard_path(language, number):
    return folder(language) / f"{number:05d}.pt"


def shards(language):
    return sorted(folder(language).glob("?????.pt"))


def row(recital, samples=None):
    r = recital
    kept = {
        "text": r.text, "language": r.language, "ids": np.array(r.ids, np.int32), "frames": r.grid.frames,
        "slots": r.grid.slots.astype(np.int16), "symbols": r.reading.symbols, "states": r.reading.states.astype(np.float16),
        "f0": r.timed.f0.astype(np.float16), "energy": r.timed.energy.astype(np.float16),
    }
    if samples is not None:
        kept["audio"] = (np.clip(samples, -1, 1) * 32767).astype(np.int16)
    return kept


def save(path, rows):
    part = path.with_suffix(".part")
    torch.save(rows, part)
    part.rename(path)


def load(path):
    return torch.load(path, weights_only=False)
