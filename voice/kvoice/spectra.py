"""Spectral losses at 24 kHz."""
from functools import cache

import librosa
import torch

RATE, HOP = 24000, 240


@cache
def _window(n):
    return torch.hann_window(n)


@cache
def _filters(n, mels):
    return torch.tensor(librosa.filters.mel(sr=RATE, n_fft=n, n_mels=mels, fmin=0, fmax=RATE / 2))


def magnitude(y, n, hop, center):
    s = torch.stft(y, n, hop, window=_window(n), center=center, pad_mode="constant", return_complex=True)
    return (s.real ** 2 + s.imag ** 2 + 1e-8).sqrt()


def log_mel(y, n=1024, mels=80):
    """[B, samples] -> [B, mels, samples / HOP + 1]."""
    return torch.log((_filters(n, mels) @ magnitude(y, n, HOP, True)).clamp(min=1e-5))


def multi_resolution(made, wanted, sizes=(2048, 1024, 512, 240, 128)):
    """Mean over window sizes of spectral convergence plus log-magnitude L1."""
    total = 0.0
    for n in sizes:
        a, b = magnitude(made, n, n // 4, False), magnitude(wanted, n, n // 4, False)
        total = total + ((a - b) ** 2).sum().sqrt() / ((b * b).sum().sqrt() + 1e-3)
        total = total + (torch.log(a + 1e-4) - torch.log(b + 1e-4)).abs().mean()
    return total / len(sizes)
