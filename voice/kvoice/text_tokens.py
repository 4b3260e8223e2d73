"""The voice's text tokens: byte-level BPE with few merges, cut into words by the official (Qwen2) rule."""
import json
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
ROLE = "assistant"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>"]


def byte_alphabet():
    """The 256 visible characters that stand for bytes, in byte order (GPT-2's table)."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {}, 0
    for byte in range(256):
        if byte in plain:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + extra)
            extra += 1
    return [table[b] for b in range(256)]


_ALPHABET = byte_alphabet()


def to_symbols(text):
    return [_ALPHABET[b] for b in text.encode("utf-8")]


def splitter():
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])


def build(merges):
    """A tokenizer and its ids: bytes, then one token per merge, then the special tokens."""
    vocab = {c: i for i, c in enumerate(_ALPHABET)}
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[tuple(m) for m in merges]))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = splitter()
    tokenizer.decoder = decoders.ByteLevel()
    special = {name: len(vocab) + i for i, name in enumerate(SPECIAL)}
    return tokenizer, vocab, special


class TextTokens:
    def __init__(self, path):
        self.merges = [tuple(m) for m in json.loads(Path(path).read_text(encoding="utf-8"))]
        self.tokenizer, self.vocab, self.special = build(self.merges)
        self.size = len(self.vocab) + len(SPECIAL)
        self.size += -self.size % 32
        self.role = [self.special["<|im_start|>"], self.vocab[ROLE], self.vocab[to_symbols("\n")[0]]]

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids
