"""Step 3a: how long each written word naturally takes: $KAZEIA_VOICE_DIR/text/words.json for fit_tokenizer.py."""
import argparse
import json

from kvoice import g2p, paths, words
from kvoice.teacher import Teacher


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--english", type=int, default=1200)
    args.add_argument("--french", type=int, default=400)
    args = args.parse_args()
    teacher, rows, bad = Teacher(), [], 0
    for language, count in (("english", args.english), ("french", args.french)):
        for text in (paths.root() / f"text/{language}.txt").read_text(encoding="utf-8").splitlines()[:count]:
            reading = teacher.read(g2p.phonemes(text, language), language)
            found = words.pair(text, reading.symbols, reading.durations)
            bad += found is None
            rows += [(language, w.text, words.natural_frames(w), words.needed_frames(w)) for w in found or []]
    (paths.root() / "text/words.json").write_text(json.dumps(rows, ensure_ascii=False))
    print(len(rows), "words,", bad, "sentences without a pairing")


if __name__ == "__main__":
    main()
