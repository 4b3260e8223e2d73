"""What the codec is trained on: sentences with codes and audio, and many more with codes and a foretold log-mel."""
from typing import NamedTuple

import numpy as np
import torch

from kvoice import corpus, foretell, paths, settings, spectra
from kvoice.codes import LEAD_TRIM
from kvoice.quantiser import Quantiser

SAMPLES = 1920  # per frame
MELS = foretell.MELS_PER_FRAME
CONTEXT = 14    # frames of codes before a segment, for the transformer
DELAY = SAMPLES  # by which speech lags its codes: a sound is shaped by the next one too, which a causal decoder must have seen
LANGUAGES = settings.SPEAKERS.values()
HELD_OUT = 4    # sentences of each language
END_SHARE = 0.25  # of the segments are the end of their sentence


class Sentence(NamedTuple):
    language: str
    codes: torch.Tensor  # [G, F]
    audio: torch.Tensor  # [SAMPLES * F], None where it was never spoken
    mel: torch.Tensor    # [80, MELS * F]


class Heard:
    """Grows by refresh() while the corpus is still being made."""

    def __init__(self):
        self.quantiser = Quantiser.load(paths.root() / "quantiser.pt")
        self.spoken, self.foretold, self._seen, self._unspoken = [], [], set(), set()
        self.refresh()

    def refresh(self):
        for language in LANGUAGES:
            for path in corpus.shards(language):
                mels = paths.sub(f"mel/{language}") / path.name
                if path in self._seen or path in self._unspoken and not mels.exists():
                    continue
                rows = corpus.load(path)
                if "audio" in rows[0]:
                    self.spoken += [Sentence(language, *r) for r in map(self._spoken, rows) if r]
                elif mels.exists():
                    self.foretold += [Sentence(language, *r) for r in map(self._foretold, rows, corpus.load(mels)) if r]
                else:
                    self._unspoken.add(path)
                    continue
                self._seen.add(path)
        self.held_out, self.train = [], []
        for language in LANGUAGES:
            spoken = [s for s in self.spoken if s.language == language]
            self.held_out += spoken[:HELD_OUT]
            self.train += spoken[HELD_OUT:]

    def _spoken(self, row):
        codes = self.quantiser.encode(row)
        if codes is None:
            return None
        audio = torch.from_numpy(row["audio"].astype(np.float32) / 32768)
        audio = torch.nn.functional.pad(audio[:-DELAY], (DELAY, 0))
        return torch.from_numpy(codes).short(), audio, spectra.log_mel(audio[None])[0, :, :codes.shape[1] * MELS].half()

    def _foretold(self, row, mel):
        codes, late = self.quantiser.encode(row), DELAY // spectra.HOP
        if codes is None:
            return None
        return torch.from_numpy(codes).short(), None, torch.cat([mel[:, :1].expand(-1, late), mel[:, :-late]], 1)

    def batch(self, count, frames, starts):
        """Of spoken sentences: codes [B, G, CONTEXT + frames] (the left part repeats the first frame where one begins) and audio.
        starts: their beginnings as the talker makes them, without anything to the left.
        """
        codes, audio = [], []
        for s, at in _segments(self.train, count, frames, starts):
            codes.append(_codes(s.codes, at, frames, starts))
            have = s.audio[at * SAMPLES:(at + frames) * SAMPLES]
            audio.append(torch.nn.functional.pad(have, (0, frames * SAMPLES - len(have))))
        return torch.stack(codes), torch.stack(audio)

    def mel_batch(self, count, frames, starts):
        """Of all sentences: codes and log-mel [B, 80, MELS * frames]."""
        chosen = list(_segments(self.train + self.foretold, count, frames, starts))
        return torch.stack([_codes(s.codes, at, frames, starts) for s, at in chosen]), torch.stack([_mel(s.mel, at, frames) for s, at in chosen])


def _segments(rows, count, frames, starts):
    """[(Sentence, first frame)]: long sentences more often than short ones, both languages as often."""
    lengths = np.array([r.codes.shape[1] for r in rows], float)
    languages = np.array([r.language for r in rows])
    for language in np.unique(languages):
        lengths[languages == language] /= lengths[languages == language].sum()
    for k in np.random.choice(len(rows), count, p=lengths / lengths.sum()):
        last = max(0, rows[k].codes.shape[1] - frames)
        # Of all places the end of a sentence would be met least.
        yield rows[k], LEAD_TRIM if starts else last if np.random.rand() < END_SHARE else np.random.randint(0, last + 1)


def _codes(codes, at, frames, starts):
    context = 0 if starts else CONTEXT
    left = codes[:, max(0, at - context):at]
    have = codes[:, at:at + frames]
    silence = codes[:, -1:].expand(-1, frames - have.shape[1])
    fill = context - left.shape[1]
    return torch.cat([codes[:, :1].expand(-1, fill), left, have, silence], 1).long()


def _mel(mel, at, frames):
    have = mel[:, at * MELS:(at + frames) * MELS].float()
    return torch.nn.functional.pad(have, (0, frames * MELS - have.shape[1]), value=float(have.min()))
