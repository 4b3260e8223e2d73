"""Random weights that come out bit for bit the same on every machine and with every numpy.

A value depends on nothing but (seed, tensor name, index): a counter goes through splitmix64, and the four 16-bit
fields of the result are added up. The sum of four uniform numbers is close to a normal one, and being an integer it
needs no libm, so no rounding differs between machines.
"""

import zlib

import numpy as np

_GOLDEN_GAMMA = 0x9E3779B97F4A7C15
_MASK_64 = (1 << 64) - 1
_FIELD_SUM_MEAN = 2 * 65535
_FIELD_SUM_STD = ((65536.0**2 - 1.0) / 3.0) ** 0.5  # four fields, each with variance (65536^2 - 1) / 12
CHUNK = 1 << 16  # values made at a time; keeps the work arrays inside the cache


def stream_key(seed, name):
    """The 64-bit key of one tensor's stream."""
    return (seed * 0x100000001B3 ^ zlib.crc32(name.encode()) * _GOLDEN_GAMMA) & _MASK_64


def words(key, start, count):
    """uint64 [count]: splitmix64 outputs start .. start + count - 1 of the stream."""
    x = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    x *= np.uint64(_GOLDEN_GAMMA)
    x += np.uint64(key)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def normal(key, start, count, std, mean=0.0):
    """float32 [count], near-normal with the given std and mean; |value - mean| <= 3.47 std."""
    fields = words(key, start, count).view(np.uint16).reshape(count, 4)
    total = fields[:, 0].astype(np.int32)
    for i in range(1, 4):
        total += fields[:, i]
    total -= _FIELD_SUM_MEAN
    values = total.astype(np.float32) * np.float32(std / _FIELD_SUM_STD)
    return values + np.float32(mean) if mean else values


def uniform(key, start, count, low, high):
    """float32 [count], uniform in [low, high)."""
    unit = (words(key, start, count) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    return unit * np.float32(high - low) + np.float32(low)


def to_bf16(values):
    """float32 -> bfloat16 bits in uint16, rounded to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
