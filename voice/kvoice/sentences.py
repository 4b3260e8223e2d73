"""Training sentences from free texts: LJ Speech transcripts, Jane Austen, our own lists and templates, dictionary words."""
import json
import random
import re
import struct
import zlib
from collections import Counter
from pathlib import Path

ALLOWED = {"english": re.compile(r"^[A-Za-z ,.'?!;:\-]+$"), "french": re.compile(r"^[A-Za-zÀ-ÿœŒ ,.'?!:\-]+$")}
_TITLES = {"Mr.": "Mister", "Mrs.": "Missus", "Dr.": "Doctor", "St.": "Saint"}


def clean(text):
    for old, new in (("’", "'"), ("‘", "'"), ("“", ""), ("”", ""), ('"', ""), ("_", ""), ("--", ", "), ("—", ", "), ("–", ", "), ("\u00a0", " "), ("\u202f", " ")):
        text = text.replace(old, new)
    for short, full in _TITLES.items():
        text = text.replace(short, full)
    return re.sub(r" ,", ",", re.sub(r"\s+", " ", text)).strip(" ,;:-")


def split_long(text, longest):
    """Pieces of at most `longest` characters, cut after punctuation; pieces that stay longer are dropped."""
    pieces, current = [], ""
    for part in re.split(r"(?<=[,;:.!?])\s+", text):
        if current and len(current) + 1 + len(part) > longest:
            pieces.append(current)
            current = part
        else:
            current = f"{current} {part}".strip()
    pieces.append(current)
    return [p.strip(" ,;:-") for p in pieces if len(p) <= longest]


def usable(text, language, shortest=2, longest=110):
    abbreviation = re.search(r"\b[B-HJ-Z]\b|\w\.\w|\b(etc|No|Esq|vs)\.|[A-Z]{2,}", text)
    return shortest <= len(text) <= longest and ALLOWED[language].match(text) is not None and not abbreviation


def lj_speech(path):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        yield from split_long(clean(line.split("|", 1)[1]), 110)


def austen(rdb_path):
    """Lines of the six novels out of the R data file of r-cran-janeaustenr: zlib blocks of serialised strings."""
    data, at = Path(rdb_path).read_bytes(), 0
    while at < len(data):
        unpack = zlib.decompressobj()
        block = unpack.decompress(data[at + 4:])
        at = len(data) - len(unpack.unused_data)
        lines, p, mark = [], 0, b"\x00\x04\x00\x09"
        while (p := block.find(mark, p)) >= 0:
            (size,) = struct.unpack(">i", block[p + 4:p + 8])
            lines.append(block[p + 8:p + 8 + size].decode("ascii", "replace") if 0 <= size < 200 else "")
            p += 8 + max(0, size)
        for paragraph in "\n".join(lines).split("\n\n"):
            for sentence in re.split(r"(?<=[.!?])\s+", clean(paragraph)):
                yield from split_long(sentence, 110)


def slots(path):
    return {k.strip(): [w.strip() for w in v.split("|")] for k, v in (l.split(":", 1) for l in Path(path).read_text(encoding="utf-8").splitlines() if l.strip())}


def fill(template, words, rng):
    """One template with its {slot} and {slot2} places filled by two different words."""
    chosen = {}
    for name, options in words.items():
        chosen[name], chosen[name + "2"] = rng.sample(options, 2)
    text = template.format(**chosen)
    text = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])(?!one|uni)", r"\1n ", text)
    text = re.sub(r"\b([Aa])n (?=[^aeiouAEIOU])", r"\1 ", text)
    return text[0].upper() + text[1:]


def dictionary_words(gold_path):
    return sorted(w for w in json.loads(Path(gold_path).read_text(encoding="utf-8")) if w.isascii() and w.isalpha() and w.islower() and 2 < len(w) < 14)


def word_salad(rng, rare, common):
    """A sentence of words that need not fit: spelling to sound for words that the texts lack."""
    n = rng.choice((1, 2, 3, 4, 5, 6, 7))
    words = [rng.choice(rare) if rng.random() < 0.6 else rng.choice(common) for _ in range(n)]
    text = "".join(w + (", " if rng.random() < 0.12 else " ") for w in words).strip(" ,")
    if rng.random() < 0.7:
        text = text[0].upper() + text[1:]
    return text + rng.choice((".", ".", ".", "?", "!", ""))


def spelled(rng):
    letters = rng.sample("ABCDEFGHIJKLMNOPQRSTUVWXYZ", rng.choice((1, 2, 3, 4, 5)))
    return ", ".join(letters) + "."


def numbers_english():
    """0 to 100 as words."""
    small = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
             "nineteen").split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()
    return small + [t + (f"-{small[i]}" if i else "") for t in tens for i in range(10)] + ["one hundred"]


def common_words(texts, count):
    seen = Counter(w for t in texts for w in re.findall(r"[a-zA-Z']+", t) if w.islower())
    return [w for w, _ in seen.most_common(count)]


def in_order(texts, seed=7):
    unique = list(dict.fromkeys(texts))
    random.Random(seed).shuffle(unique)
    return unique
