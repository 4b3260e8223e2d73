"""Step 3b: the merges of the voice's BPE, $KAZEIA_VOICE_DIR/text/merges.json.

Text is fed one token per 80 ms frame, and the training speech is timed so that each word lasts as many frames as it has
tokens. The merges are chosen to make those lengths natural: greedily, the pair that most lowers
sum over words of log(tokens / natural frames)^2.
"""
import argparse
import json
import math
from collections import Counter, defaultdict

from kvoice import paths, text_tokens as tt

SLOWER = 1.06  # words should last a little longer than the teacher's: clear, and room for short sounds


def load():
    """[[pieces], weight, wanted frames, least frames] per distinct word; pieces are lists of byte symbols."""
    rows, split = defaultdict(list), tt.splitter()
    for language, text, natural, needed in json.loads((paths.root() / "text/words.json").read_text()):
        rows[text].append((natural, needed, 2.0 if language == "french" else 1.0))
    words = []
    for text, seen in rows.items():
        weight = sum(w for *_, w in seen)
        natural = sum(n * w for n, _, w in seen) / weight
        pieces = [list(p) for p, _ in split.pre_tokenize_str(text)]
        words.append([pieces, math.sqrt(weight), SLOWER * natural, max(n for _, n, _ in seen)])
    return words


def cost(count, wanted, least):
    return math.log(count / wanted) ** 2 + (4.0 if count < least else 0.0)


def merged(pieces, pair):
    result = []
    for piece in pieces:
        new, i = [], 0
        while i < len(piece):
            if i + 1 < len(piece) and (piece[i], piece[i + 1]) == pair:
                new.append(piece[i] + piece[i + 1])
                i += 2
            else:
                new.append(piece[i])
                i += 1
        result.append(new)
    return result


def gain(words, where, pair):
    total = 0.0
    for w in where:
        pieces, weight, wanted, least = words[w]
        before = sum(map(len, pieces))
        after = sum(map(len, merged(pieces, pair)))
        total += weight * (cost(before, wanted, least) - cost(after, wanted, least))
    return total


def best_pair(words, candidates):
    count, where = Counter(), defaultdict(set)
    for w, (pieces, weight, *_ ) in enumerate(words):
        for piece in pieces:
            for pair in zip(piece, piece[1:]):
                count[pair] += weight
                where[pair].add(w)
    scored = [(gain(words, where[p], p), p) for p, _ in count.most_common(candidates)]
    return max(scored)


def apply(words, pair):
    for word in words:
        word[0] = merged(word[0], pair)


def role_merges(merges):
    """Merges that make one token of the role word, added last so that they touch few other words."""
    piece, extra = tt.to_symbols(tt.ROLE), []
    for pair in merges:
        piece = merged([piece], pair)[0]
    while len(piece) > 1:
        pair = (piece[0], piece[1])
        extra.append(pair)
        piece = merged([piece], pair)[0]
    return extra


def report(words, title):
    total = sum(w[1] for w in words)
    ratios = sorted((sum(map(len, w[0])) / w[2] * SLOWER, w[1]) for w in words)
    spread = math.sqrt(sum(w[1] * math.log(sum(map(len, w[0])) / w[2]) ** 2 for w in words) / total)
    short = sum(w[1] for w in words if sum(map(len, w[0])) < w[3]) / total
    print(f"{title}: mean frames/natural {sum(r * w for r, w in ratios) / total:.3f}, log spread {spread:.3f}, too short {short:.4f}", flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--merges", type=int, default=220)
    args.add_argument("--candidates", type=int, default=150)
    args = args.parse_args()
    words, merges = load(), []
    report(words, "bytes only")
    for letter in "àâçéèêëîïôùûüœÀÉÈÊÎÔÇŒ":  # accented letters are two bytes: one token each
        merges.append(tuple(tt.to_symbols(letter)))
        apply(words, merges[-1])
    while len(merges) < args.merges:
        won, pair = best_pair(words, args.candidates)
        if won < 0.12:
            break
        merges.append(pair)
        apply(words, pair)
        if len(merges) % 20 == 0:
            report(words, f"{len(merges)} merges, last {pair}")
    report(words, f"{len(merges)} merges")
    merges += role_merges(merges)
    (paths.root() / "text/merges.json").write_text(json.dumps(merges, ensure_ascii=False), encoding="utf-8")
    print(len(merges), "merges with the role word:", " ".join(a + "+" + b for a, b in merges))


if __name__ == "__main__":
    main()
