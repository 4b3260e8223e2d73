"""Code sequences of the corpus: encoded once per shard and kept small below $KAZEIA_VOICE_DIR/codes/<language>."""
import torch

from kvoice import corpus, paths, timing
from kvoice.quantiser import Quantiser

VALIDATION_SHARD = 5  # its sentences are never trained on
LEAD_TRIM = 4         # silent frames at the start of the grid that the talker never learns: speech starts within 300 ms
TAIL_KEPT = 1         # of those at its end, since speech lags its codes by a frame; it ends within 300 ms


def encoded(language, path, quantiser):
    """[(text ids, codes [G, F])] of a shard."""
    cache = paths.sub(f"codes/{language}") / path.name
    if not cache.exists():
        pairs = [(r["ids"].tolist(), quantiser.encode(r), r["text"]) for r in corpus.load(path)]
        corpus.save(cache, [(i, torch.from_numpy(c), t) for i, c, t in pairs if c is not None])
    return corpus.load(cache)


def learned(codes, language):
    """Of the codes of a grid those that the talker learns: without most of the silence around the speech."""
    return codes[:, LEAD_TRIM:codes.shape[1] - timing.TAIL[language] + TAIL_KEPT]


class Codes:
    """Training sentences of each language, growing while the corpus is still being made."""

    def __init__(self, languages):
        self.languages = languages
        self.quantiser = Quantiser.load(paths.root() / "quantiser.pt")
        self.train, self.validation, self._seen = {language: [] for language in languages}, [], set()
        self.refresh()

    def count(self):
        return sum(map(len, self.train.values()))

    def refresh(self):
        """Takes in new shards."""
        for language in self.languages:
            for path in corpus.shards(language):
                if path in self._seen:
                    continue
                self._seen.add(path)
                rows = [(ids, learned(codes, language), text, language) for ids, codes, text in encoded(language, path, self.quantiser)]
                held_out = language == "english" and path == corpus.shard_path(language, VALIDATION_SHARD)
                (self.validation if held_out else self.train[language]).extend(rows)
