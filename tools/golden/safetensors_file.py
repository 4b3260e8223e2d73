"""Writes safetensors files from a list of tensor recipes, a piece at a time."""

import json
from dataclasses import dataclass
from math import prod

import numpy as np

import random_tensor


@dataclass
class Tensor:
    """One random tensor. `kind` says how its values are made."""

    name: str
    shape: tuple
    kind: str = "normal"  # normal | uniform | ones | codebook_sum
    std: float = 1.0
    mean: float = 0.0
    low: float = 0.0
    high: float = 1.0
    zero_row: int = -1  # a row that is zeroed
    usage: "Tensor" = None  # codebook_sum: the rows are multiplied by this [rows] tensor

    def values(self, seed, start, count):
        """float32 [count]: the flat values start .. start + count - 1, row-major."""
        if self.kind == "ones":
            return np.ones(count, np.float32)
        key = random_tensor.stream_key(seed, self.name)
        if self.kind == "uniform":
            return random_tensor.uniform(key, start, count, self.low, self.high)
        out = random_tensor.normal(key, start, count, self.std, self.mean)
        width = prod(self.shape[1:])
        rows = np.arange(start, start + count) // width
        if self.kind == "codebook_sum":
            out *= self.usage.values(seed, 0, self.shape[0])[rows]
        if self.zero_row >= 0:
            out[rows == self.zero_row] = 0
        return out


def write(path, tensors, dtype, seed):
    """Writes all tensors in the order of their names. dtype: "BF16" or "F32". Returns the number of data bytes."""
    tensors = sorted(tensors, key=lambda t: t.name)
    value_bytes = {"BF16": 2, "F32": 4}[dtype]
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for t in tensors:
        end = offset + prod(t.shape) * value_bytes
        header[t.name] = {"dtype": dtype, "shape": list(t.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the data starts at a multiple of 8
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for t in tensors:
            size = prod(t.shape)
            for start in range(0, size, random_tensor.CHUNK):
                part = t.values(seed, start, min(random_tensor.CHUNK, size - start))
                file.write((random_tensor.to_bf16(part) if dtype == "BF16" else part).tobytes())
    return offset
