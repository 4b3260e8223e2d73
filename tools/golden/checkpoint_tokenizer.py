"""Tokenizer files of a checkpoint, made from the real merges alone.

Qwen's vocabulary is the 256 byte tokens in their GPT-2 order, then the result of each merge in the order of the
merges, then the added tokens.
"""

import json
import os
from dataclasses import dataclass

_BEFORE_TTS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>",
    "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>",
    "</think>",
]
_TTS = ["<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>",
        "<|audio_pad|>"]
_FIRST_NOT_SPECIAL = _BEFORE_TTS.index("<tool_call>")

# The small vocabulary: the first merges, and what it takes to build these words.
_SMALL_MERGES = 200
_SMALL_WORDS = ["assistant", "user", "ĠKaz", "Bonjour", "Ġbonjour", "Ġvoix", "Ġvoice", "Ġle", "Ġmonde", "Ġhello"]


@dataclass
class Tokenizer:
    vocabulary: dict  # token -> id
    merges: list  # (left, right)
    added: dict  # id -> token

    def id_of(self, token):
        """The id of an added token or of an ordinary one."""
        for token_id, name in self.added.items():
            if name == token:
                return token_id
        return self.vocabulary[token]


def _byte_tokens():
    """The 256 byte tokens: printable bytes as themselves, in order, then the others as U+0100 and up."""
    printable = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    return [chr(b) for b in printable] + [chr(256 + i) for i in range(256 - len(printable))]


def _read_merges(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].startswith("#version"):  # only the first line: merges that begin with # are merges
        lines = lines[1:]
    return [tuple(line.split(" ")) for line in lines if line]


def _merges_that_build(word, rank):
    """Indices of the merges that byte-level BPE applies to `word`."""
    symbols, used = list(word), []
    while len(symbols) > 1:
        candidates = [(rank[pair], i) for i, pair in enumerate(zip(symbols, symbols[1:])) if pair in rank]
        if not candidates:
            break
        index, i = min(candidates)
        used.append(index)
        symbols[i:i + 2] = [symbols[i] + symbols[i + 1]]
    return used


def make_tokenizer(merges_path, small):
    merges = _read_merges(merges_path)
    names = _BEFORE_TTS + _TTS
    if small:
        rank = {pair: i for i, pair in enumerate(merges)}
        keep = set(range(_SMALL_MERGES))
        for word in _SMALL_WORDS:
            keep.update(_merges_that_build(word, rank))
        merges = [merges[i] for i in sorted(keep)]
        names = _BEFORE_TTS[:3] + _TTS
    tokens = _byte_tokens() + [left + right for left, right in merges]
    vocabulary = {token: i for i, token in enumerate(tokens)}
    assert len(vocabulary) == len(tokens)
    return Tokenizer(vocabulary, merges, {len(tokens) + i: name for i, name in enumerate(names)})


def write_tokenizer(folder, tokenizer):
    """vocab.json, merges.txt and tokenizer_config.json."""
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as file:
        json.dump(tokenizer.vocabulary, file, ensure_ascii=False)
    with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n")
        file.writelines(f"{left} {right}\n" for left, right in tokenizer.merges)
    not_special = _BEFORE_TTS[_FIRST_NOT_SPECIAL:]
    added = {
        str(i): dict(content=name, lstrip=False, normalized=False, rstrip=False, single_word=False,
                     special=name not in not_special) for i, name in tokenizer.added.items()
    }
    config = dict(add_bos_token=False, add_prefix_space=False, added_tokens_decoder=added,
                  additional_special_tokens=["<|im_start|>", "<|im_end|>"], bos_token=None,
                  clean_up_tokenization_spaces=False, eos_token="<|im_end|>", errors="replace",
                  model_max_length=131072, pad_token="<|endoftext|>", processor_class="Qwen3TTSProcessor",
                  split_special_tokens=False, tokenizer_class="Qwen2Tokenizer", unk_token=None)
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2, ensure_ascii=False)
