"""Step 5: the codebooks, $KAZEIA_VOICE_DIR/quantiser.pt, from the first shards of both languages. Fit once, then leave it."""
import argparse
from collections import Counter

import numpy as np
import torch

from kvoice import corpus, paths, quantiser as q


def points(rows):
    """States that sound in a slot [n, 512], their symbols, and in how many slots each does."""
    states, symbols, weights = [], [], []
    for row in rows:
        for i, n in Counter(row["slots"].tolist()).items():
            states.append(row["states"][i])
            symbols.append(row["symbols"][i])
            weights.append(n)
    return torch.from_numpy(np.stack(states)).float(), symbols, torch.tensor(weights).float()


def principal_axes(states, weights):
    mean = (states * weights[:, None]).sum(0) / weights.sum()
    centred = states - mean
    values, vectors = torch.linalg.eigh((centred * weights[:, None]).T @ centred / weights.sum())
    print("kept variance %.3f" % float(values[-q.STATE_DIMS:].sum() / values.sum()))
    return mean, vectors[:, -q.STATE_DIMS:].flip(1)


def split_entries(symbols):
    """How many of the SIZE entries each symbol gets: by the square root of its share, at least one."""
    count = Counter(symbols)
    share = {s: max(1.0, n ** 0.5) for s, n in count.items()}
    scale = q.SIZE / sum(share.values())
    entries = {s: min(max(1, int(v * scale)), count[s]) for s, v in share.items()}
    for s, _ in sorted(share.items(), key=lambda kv: -kv[1]) * 4:
        if sum(entries.values()) >= q.SIZE:
            break
        entries[s] += 1
    return entries


def phoneme_codebook(projected, symbols):
    book, where = [], {}
    for symbol, n in sorted(split_entries(symbols).items()):
        mine = projected[[i for i, s in enumerate(symbols) if s == symbol]]
        where[symbol] = (sum(map(len, book)), n)
        book.append(q.kmeans(mine, n))
    book = torch.cat(book)
    return torch.cat([book, torch.zeros(q.SIZE - len(book), book.shape[1])]), where


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--english", type=int, default=8, help="shards")
    args.add_argument("--french", type=int, default=3)
    args = args.parse_args()
    rows = [r for lang, n in (("english", args.english), ("french", args.french)) for p in corpus.shards(lang)[:n] for r in corpus.load(p)]
    states, symbols, weights = points(rows)
    mean, axes = principal_axes(states, weights)
    book, where = phoneme_codebook((states - mean) @ axes, symbols)
    pitch, energy = (torch.from_numpy(np.concatenate(x)).float() for x in zip(*(q.curves(r) for r in rows)))
    state = {"mean": mean, "axes": axes, "phonemes": where, "states": book, "pitch": q.kmeans(pitch, q.SIZE), "energy": q.kmeans(energy, q.SIZE)}
    torch.save(state, paths.root() / "quantiser.pt")
    for name, data in (("pitch", pitch), ("energy", energy)):
        left = data - state[name][q.assign(data, state[name])]
        print(name, "unexplained variance %.4f" % float(left.pow(2).sum() / (data - data.mean(0)).pow(2).sum()))
    codes = np.concatenate([c for c in map(q.Quantiser(state).encode, rows) if c is not None], 1)
    for g in range(q.GROUPS):
        p = np.bincount(codes[g], minlength=q.SIZE) / codes.shape[1]
        print("group", g, "entropy %.2f nats" % -(p[p > 0] * np.log(p[p > 0])).sum(), "used", int((p > 0).sum()))
    print(len(rows), "sentences", codes.shape[1], "frames", len(where), "symbols")


if __name__ == "__main__":
    main()
