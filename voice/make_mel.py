"""Step 6: log-mels of sentences without audio, for the codec's first phase.

  make_mel.py fit               learns to read the log-mel from the teacher's features, on the shards with audio
  make_mel.py english 5 87      mel/english/NNNNN.pt for these shards of the corpus; those that exist are skipped
"""
import argparse
import time

import numpy as np
import torch

from kvoice import corpus, foretell, paths, recite, spectra, text_tokens
from kvoice.teacher import Teacher

SEGMENT = 160  # log-mel frames
HELD_OUT = 12  # sentences


def recitals(rows, tokens, teacher):
    for row in rows:
        recital = recite.recite(row["text"], row["language"], tokens, teacher)
        assert recital and recital.grid.frames == row["frames"], row["text"]
        yield row, foretell.inputs(teacher, recital)


def spoken(limit):
    """(inputs, log-mel) of sentences with audio, both languages in turn."""
    tokens, teacher, pairs = text_tokens.TextTokens(paths.root() / "text/merges.json"), Teacher(), []
    for language in ("english", "french"):
        found = 0
        for shard in corpus.shards(language):
            rows = corpus.load(shard)
            if "audio" not in rows[0] or found >= limit:
                continue
            for row, x in recitals(rows, tokens, teacher):
                audio = torch.from_numpy(row["audio"].astype(np.float32) / 32768)
                pairs.append((x.half(), spectra.log_mel(audio[None])[0, :, :x.shape[1]]))
            found += len(rows)
            print(shard.name, len(pairs), flush=True)
    return pairs


def fit(minutes, limit):
    pairs = spoken(limit)
    held_out, train = pairs[:HELD_OUT], pairs[HELD_OUT:]
    model = foretell.Foreteller()
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, betas=(0.9, 0.98), weight_decay=0.02)
    start, budget, step, errors = time.process_time(), minutes * 60, 0, []
    while (done := (time.process_time() - start) / budget) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * min(1, (step + 1) / 50) * max(0.02, 1 - done)
        xs, ys = [], []
        for k in np.random.randint(len(train), size=8):
            x, y = train[k]
            n = min(SEGMENT, y.shape[1])
            at = np.random.randint(y.shape[1] - n + 1)
            xs.append(torch.nn.functional.pad(x[:, at:at + n].float(), (0, SEGMENT - n)))
            ys.append(torch.nn.functional.pad(y[:, at:at + n], (0, SEGMENT - n), value=float("nan")))
        wanted = torch.stack(ys)
        error = (model(torch.stack(xs)) - wanted)[~wanted.isnan()]
        optimiser.zero_grad()
        (error.abs().mean() + 0.2 * (error ** 2).mean()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        errors.append(float(error.detach().abs().mean()))
        if step % 200 == 0:
            with torch.no_grad():
                kept = np.mean([float((model(x[None].float())[0] - y).abs().mean()) for x, y in held_out])
            print(f"step {step} log-mel error {np.mean(errors[-200:]):.3f} held out {kept:.3f}", flush=True)
    torch.save(model.state_dict(), foretell.path())


@torch.no_grad()
def foretell_shards(language, first, end):
    tokens, teacher, model = text_tokens.TextTokens(paths.root() / "text/merges.json"), Teacher(), foretell.load()
    for number in range(first, end):
        source, target = corpus.shard_path(language, number), paths.sub(f"mel/{language}") / f"{number:05d}.pt"
        if target.exists() or not source.exists():
            continue
        rows = corpus.load(source)
        if "audio" in rows[0]:
            continue
        corpus.save(target, [model(x[None])[0].half() for _, x in recitals(rows, tokens, teacher)])
        print(language, target.name, flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("what", choices=("fit", "english", "french"))
    args.add_argument("first", type=int, nargs="?", default=0)
    args.add_argument("end", type=int, nargs="?", default=400)
    args.add_argument("--minutes", type=float, default=5, help="of CPU time, for fit")
    args.add_argument("--limit", type=int, default=250, help="sentences per language, for fit")
    args = args.parse_args()
    torch.set_num_threads(1)
    if args.what == "fit":
        fit(args.minutes, args.limit)
    else:
        foretell_shards(args.what, args.first, args.end)


if __name__ == "__main__":
    main()
