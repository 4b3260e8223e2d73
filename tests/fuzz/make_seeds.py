#!/usr/bin/env python3
"""Writes a few valid inputs for each fuzzer, so that it starts behind the first checks.

make_seeds.py OUTDIR: one folder per fuzzer, named like it.
"""
import json
import struct
import sys
from pathlib import Path

CHECKPOINTS = Path(__file__).parent.parent / "golden" / "data" / "checkpoints"
UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def value_bytes(value):
    if isinstance(value, bool):
        return struct.pack("<IB", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", FLOAT32, value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + text(value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(text, value))
    return struct.pack("<IIQ", ARRAY, INT32, len(value)) + struct.pack(f"<{len(value)}i", *value)


def gguf(metadata, tensors):
    """tensors: (name, sizes from the contiguous one outwards, type number, bytes)"""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    out += b"".join(text(key) + value_bytes(value) for key, value in metadata.items())
    data = b""
    for name, sizes, type_number, num_bytes in tensors:
        out += text(name) + struct.pack("<I", len(sizes)) + struct.pack(f"<{len(sizes)}Q", *sizes)
        out += struct.pack("<IQ", type_number, len(data))
        data += bytes(-(-num_bytes // 64) * 64)
    return out + bytes(-len(out) % 64) + data


def gguf_seeds():
    base = {"general.alignment": 64, "general.architecture": "qwen3-tts", "kazeia.format_version": 1}
    yield gguf({}, [])
    yield gguf(base, [("talker.norm.weight", [64], 0, 256), ("talker.codec_head.weight", [32, 2], 8, 68)])
    yield gguf({**base, "general.name": "seed", "qwen3-tts.type": "base", "qwen3-tts.text_feed": "full",
                "qwen3-tts.talker.hidden_size": 64, "qwen3-tts.talker.rms_norm_eps": 1e-6,
                "qwen3-tts.talker.sampling.do_sample": True, "qwen3-tts.codec.upsample_rates": [8, 5, 4, 3],
                "qwen3-tts.languages.names": ["french"], "qwen3-tts.languages.codec_ids": [600],
                "tokenizer.ggml.tokens": ["a", "b", "ab"], "tokenizer.ggml.merges": ["a b"],
                "kazeia.tokenizer.added_ids": [3], "kazeia.tokenizer.added_texts": ["<|im_start|>"]},
               [("a", [32, 2, 3], 30, 384), ("b", [32], 2, 18)])


def safetensors_seeds():
    for header, data in (({}, b""),
                         ({"__metadata__": {"format": "pt"},
                           "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                           "b": {"dtype": "BF16", "shape": [3, 1, 1], "data_offsets": [16, 22]},
                           "c": {"dtype": "I64", "shape": [], "data_offsets": [22, 30]}}, bytes(30))):
        raw = json.dumps(header).encode()
        yield struct.pack("<Q", len(raw)) + raw + data


def config_seeds():
    for folder in sorted(CHECKPOINTS.iterdir()):
        files = ("config.json", "generation_config.json", "speech_tokenizer/config.json")
        compact = (json.dumps(json.loads((folder / name).read_text("utf-8"))) for name in files)
        yield "\n====\n".join(compact).encode()


def main():
    out = Path(sys.argv[1])
    for name, seeds in (("gguf_fuzz", gguf_seeds()), ("safetensors_fuzz", safetensors_seeds()),
                        ("config_fuzz", config_seeds())):
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        for index, seed in enumerate(seeds):
            (folder / f"seed{index}").write_bytes(seed)


if __name__ == "__main__":
    main()
