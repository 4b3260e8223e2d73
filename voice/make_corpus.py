"""Step 4: recites sentences with the teacher, shard by shard; shards that exist are skipped, so it can be stopped and run again.

  make_corpus.py english 0 4 --audio     the first 4 shards (200 sentences) with audio, for the codec
  make_corpus.py english 4 200           more text for the talker, without audio (about 0.2 CPU seconds a sentence)
"""
import argparse
import time

from kvoice import corpus, paths, recite, text_tokens
from kvoice.teacher import Teacher


def main():
    args = argparse.ArgumentParser()
    args.add_argument("language", choices=("english", "french"))
    args.add_argument("first", type=int)
    args.add_argument("end", type=int)
    args.add_argument("--audio", action="store_true")
    args = args.parse_args()
    texts = (paths.root() / f"text/{args.language}.txt").read_text(encoding="utf-8").splitlines()
    tokens, teacher = text_tokens.TextTokens(paths.root() / "text/merges.json"), Teacher()
    for number in range(args.first, args.end):
        path, started, rows = corpus.shard_path(args.language, number), time.time(), []
        if path.exists():
            continue
        for text in texts[number * corpus.PER_SHARD:(number + 1) * corpus.PER_SHARD]:
            recital = recite.recite(text, args.language, tokens, teacher)
            if recital:
                rows.append(corpus.row(recital, recite.audio(recital, teacher) if args.audio else None))
        if not rows:
            break
        corpus.save(path, rows)
        print(path.name, len(rows), "sentences", sum(r["frames"] for r in rows), "frames", round(time.time() - started), "s", flush=True)


if __name__ == "__main__":
    main()
