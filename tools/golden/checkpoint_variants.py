"""The sizes of every checkpoint that make_checkpoint.py knows."""

from dataclasses import dataclass


@dataclass
class Stack:
    """A stack of Qwen3 decoder layers."""

    hidden: int
    layers: int
    intermediate: int
    heads: int
    kv_heads: int
    head: int


@dataclass
class Codec:
    """The speech tokenizer's decoder. channels: after the wave decoder's first conv, halved by each block."""

    pre_transformer: Stack
    window: int
    latent: int
    codebook_dim: int
    channels: int
    upsampling_ratios: list
    upsample_rates: list
    sample_rate_hz: int
    output_gain: float = 1.5  # of the last conv; a large one makes the samples reach the clamp


@dataclass
class Encoder:
    """The speech tokenizer's encoder (Mimi). Only the full-size checkpoints have one."""

    filters: int
    hidden: int
    intermediate: int
    heads: int
    head: int
    layers: int
    codebook_dim: int


@dataclass
class Variant:
    size: str  # tts_model_size: "0b6" makes the official code ignore the instruction of a custom voice
    talker: Stack
    code_predictor: Stack
    text_hidden: int
    code_groups: int
    codebook: int
    codec: Codec
    encoder: Encoder = None
    small_vocabulary: bool = False  # a cut of the real tokenizer
    seed: int = 6


_FULL_CODEC = Codec(Stack(512, 8, 1024, 16, 16, 64), 72, 1024, 512, 1536, [2, 2], [8, 5, 4, 3], 24000)
_FULL_ENCODER = Encoder(64, 512, 2048, 8, 64, 8, 256)

VARIANTS = {
    "0.6b": Variant("0b6", Stack(1024, 28, 3072, 16, 8, 128), Stack(1024, 5, 3072, 16, 8, 128), 2048, 16, 2048,
                    _FULL_CODEC, _FULL_ENCODER),
    "1.7b": Variant("1b7", Stack(2048, 28, 6144, 16, 8, 128), Stack(1024, 5, 3072, 16, 8, 128), 2048, 16, 2048,
                    _FULL_CODEC, _FULL_ENCODER),
    # All code groups, real rates; heads x head size differs from the hidden size, as in the 0.6B.
    "tiny": Variant("0b6", Stack(64, 3, 96, 4, 2, 32), Stack(64, 2, 64, 4, 2, 32), 96, 16, 96,
                    Codec(Stack(32, 2, 64, 2, 2, 32), 12, 32, 32, 32, [2, 2], [8, 5, 4, 3], 24000),
                    small_vocabulary=True),
    # Code predictor narrower than the talker: small_to_mtp_projection; three ConvNeXt stages, three wave blocks.
    "tiny-mtp": Variant("1b7", Stack(64, 2, 96, 2, 1, 64), Stack(32, 2, 64, 2, 2, 32), 64, 16, 64,
                        Codec(Stack(32, 1, 64, 2, 2, 32), 12, 32, 32, 32, [2, 2, 2], [8, 5, 4], 16000),
                        small_vocabulary=True),
    # 4 code groups of 512 entries: the talker's vocabulary is 1,536. One ConvNeXt stage; odd channel counts; loud
    # enough to clamp.
    "tiny-4x512": Variant("0b6", Stack(32, 2, 64, 4, 1, 32), Stack(32, 1, 64, 2, 2, 32), 64, 4, 512,
                          Codec(Stack(32, 1, 64, 2, 2, 32), 5, 48, 16, 24, [4], [8, 5, 4], 8000, output_gain=3.0),
                          small_vocabulary=True),
}
