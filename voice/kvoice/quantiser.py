"""Speech codes from the teacher's own signals: no encoder network is needed.

Group 0 and 1: the phoneme state that sounds in the first and the second half of the frame; entries belong to one phoneme each.
Group 2: pitch and voicing of the frame. Group 3: its energy curve. All codebooks have SIZE entries.
"""
import numpy as np
import torch

SIZE = 512
GROUPS = 4
STATE_DIMS = 48
VOICED_HZ = 60.0
_SUB = 32  # points per frame at which the 12.5 ms curves are read


def curves(row):
    """Per frame: pitch and voicing [F, 6], energy [F, 5]."""
    frames = row["frames"]
    at = np.clip(((np.arange(frames * _SUB) + 0.5) * (80.0 / _SUB) / 12.5).astype(int), 0, len(row["f0"]) - 1)
    f0, energy = row["f0"].astype(np.float32)[at], row["energy"].astype(np.float32)[at]
    voiced = (f0 > VOICED_HZ).astype(np.float32)
    octave = np.log2(np.maximum(f0, VOICED_HZ) / 200.0) * voiced
    halves = voiced.reshape(frames, 2, -1)
    pitch = octave.reshape(frames, 2, -1).sum(2) / np.maximum(halves.sum(2), 1) * np.minimum(1, halves.mean(2) * 2)
    voicing = voiced.reshape(frames, 4, -1).mean(2)
    fifths = np.array_split(energy.reshape(frames, _SUB), 4, axis=1)
    return np.concatenate([pitch * 4.0, voicing * 0.7], 1), np.stack([e.mean(1) for e in fifths], 1)


def kmeans(points, count, rounds=25, seed=1):
    """points [n, d] -> centroids [count, d], seeded by k-means++."""
    generator = torch.Generator().manual_seed(seed)
    if len(points) <= count:
        return torch.cat([points, points[torch.randint(len(points), (count - len(points),), generator=generator)]])
    chosen = [points[torch.randint(len(points), (1,), generator=generator)]]
    distance = ((points - chosen[0]) ** 2).sum(1)
    for _ in range(count - 1):
        pick = torch.multinomial(distance.clamp(min=1e-9), 1, generator=generator)
        chosen.append(points[pick])
        distance = torch.minimum(distance, ((points - chosen[-1]) ** 2).sum(1))
    centroids = torch.cat(chosen)
    for _ in range(rounds):
        nearest = assign(points, centroids)
        total = torch.zeros_like(centroids).index_add_(0, nearest, points)
        used = torch.bincount(nearest, minlength=count)
        centroids[used > 0] = total[used > 0] / used[used > 0, None].float()
    return centroids


def assign(points, centroids):
    norms = (centroids * centroids).sum(1)
    return torch.cat([(norms - 2 * p @ centroids.T).argmin(1) for p in points.split(4096)])


class Quantiser:
    """state: mean [512], axes [512, STATE_DIMS], phonemes {symbol: (first entry, count)}, states/pitch/energy codebooks."""

    def __init__(self, state):
        self.state = state

    @classmethod
    def load(cls, path):
        return cls(torch.load(path, weights_only=False))

    def project(self, states):
        return (torch.as_tensor(states, dtype=torch.float32) - self.state["mean"]) @ self.state["axes"]

    def encode(self, row):
        """row of the corpus -> [GROUPS, frames] int16, or None when it has a phoneme that was never seen."""
        book, phonemes = self.state["states"], self.state["phonemes"]
        used = np.unique(row["slots"])
        if any(row["symbols"][i] not in phonemes for i in used):
            return None
        entry = {}
        for i, point in zip(used, self.project(row["states"][used])):
            first, count = phonemes[row["symbols"][i]]
            entry[i] = first + int(((book[first:first + count] - point) ** 2).sum(1).argmin())
        halves = np.array([entry[i] for i in row["slots"]]).reshape(-1, 2).T
        pitch, energy = curves(row)
        rest = [assign(torch.as_tensor(x, dtype=torch.float32), self.state[k]).numpy() for x, k in ((pitch, "pitch"), (energy, "energy"))]
        return np.stack([halves[0], halves[1], *rest]).astype(np.int16)

    def spell(self, codes):
        """codes [G, F] -> the phonemes that groups 0 and 1 name, repeats and pauses removed."""
        owner = {first + i: symbol for symbol, (first, count) in self.state["phonemes"].items() for i in range(count)}
        heard = [owner.get(int(c), "") for c in np.asarray(codes[:2]).T.reshape(-1)]
        joined = "".join(a for a, b in zip(heard, [None, *heard]) if a != b)
        return "".join(c for c in joined if c.isalpha())

    def neighbours(self, count=3):
        """The nearest entries of each entry, of the same phoneme in groups 0 and 1: [GROUPS, SIZE, count]."""
        owner = torch.full((SIZE,), -1)
        for i, (first, n) in enumerate(self.state["phonemes"].values()):
            owner[first:first + n] = i
        tables = []
        for group, book in enumerate(self.vectors()):
            distance = torch.cdist(book, book)
            if group < 2:
                distance = distance + 1e6 * (owner[:, None] != owner[None])
            order = distance.argsort(dim=1, stable=True)[:, :count + 1]
            near = torch.where(distance.gather(1, order) < 1e5, order, torch.arange(SIZE)[:, None])
            tables.append(near[:, 1:])
        return torch.stack(tables)

    def vectors(self):
        """Per group the centroids [SIZE, d]: the codec's codebooks start from them."""
        return [self.state["states"], self.state["states"], self.state["pitch"], self.state["energy"]]
