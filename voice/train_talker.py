"""Step 8: trains talker and code predictor on the codes; resumes from $KAZEIA_VOICE_DIR/talker/last.pt.

Watch `gap`: the cross entropy of group 0 with another sentence's text minus that with the right one, on held-out sentences.
"""
import argparse
import random
import time

import torch
import torch.nn.functional as F

from kvoice import curve, intervals, layout, paths, quantiser, settings, text_tokens
from kvoice.codes import Codes
from kvoice.talker import Talker

EOS = settings.CONTROL["codec_eos_token_id"]
SPEAKER = {language: name for name, language in settings.SPEAKERS.items()}


def targets(codes_at, is_frame, start):
    """Group 0 one position earlier, the end after the last frame: [B, P], -100 elsewhere."""
    label = torch.full(is_frame.shape, -100)
    label[:, :-1][is_frame[:, 1:]] = codes_at[:, 1:, 0][is_frame[:, 1:]]
    label[torch.arange(len(start)), start + is_frame.sum(1)] = EOS
    return label


def corrupted(codes_at, is_frame, share):
    """Some frames replaced by other codes, so that the model learns to go on after its own mistakes."""
    wrong = (torch.rand(is_frame.shape) < share) & is_frame
    other = codes_at[is_frame][torch.randint(int(is_frame.sum()), (int(wrong.sum()),))]
    noisy = codes_at.clone()
    noisy[wrong] = other
    return noisy


def losses(model, items, tokens, args, training):
    text, codec, codes_at, is_frame, start = layout.batch(items, tokens)
    label = targets(codes_at, is_frame, start)
    heard, seen = is_frame, codes_at
    if training:
        seen = corrupted(codes_at, is_frame, args.noise)
        heard = is_frame & (torch.rand(is_frame.shape) >= args.drop_frames)
    with torch.autocast("cpu", torch.bfloat16, enabled=bool(args.bf16)):
        hidden = model.model(layout.embed(model, text, codec, seen, heard))
        at = label >= 0
        first = F.cross_entropy(model.codec_head(hidden[at]).float(), label[at])
        frame = at & (label != EOS)
        if training:
            frame &= torch.rand(frame.shape) < args.predictor_share
        following = torch.roll(codes_at, -1, 1)
        rest = model.predictor_loss(hidden[frame], following[frame])
    return first, rest


def pick(train, frames, rng):
    """Sentences of one language, each as often, and of similar length; about `frames` frames in all."""
    rows = rng.choice([rows for rows in train.values() if rows])
    window = rng.sample(rows, min(len(rows), 64))
    window.sort(key=lambda r: r[1].shape[1])
    at, chosen, total = rng.randrange(len(window)), [], 0
    for row in window[at:] + window[:at][::-1]:
        total += row[1].shape[1]
        chosen.append(row)
        if total >= frames:
            break
    return chosen


def item(row, language_known=True):
    ids, codes, _, language = row
    return ids, codes, SPEAKER[language], language if language_known else None


@torch.no_grad()
def validate(model, rows, tokens, args):
    """CE of group 0, its wrong-text gap, CE of the other groups; over the held-out sentences."""
    model.eval()
    right, wrong, rest = [], [], []
    for i in range(0, len(rows), 12):
        part = rows[i:i + 12]
        first, others = losses(model, [item(r) for r in part], tokens, args, False)
        swapped = [(part[(k + 1) % len(part)][0], *item(r)[1:]) for k, r in enumerate(part)]
        right.append(float(first))
        rest.append(others)
        wrong.append(float(losses(model, swapped, tokens, args, False)[0]))
    model.train()
    mean = sum(right) / len(right)
    return mean, sum(wrong) / len(wrong) - mean, (sum(rest) / len(rest)).tolist()


class Average:
    """Exponential average of the weights: what is evaluated and exported."""

    def __init__(self, model):
        self.weights = {k: v.clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model, step):
        keep = min(0.998, (step + 1) / (step + 20))
        for k, v in model.state_dict().items():
            self.weights[k].lerp_(v, 1 - keep)


def parse():
    args = argparse.ArgumentParser()
    args.add_argument("--languages", default="english,french")
    args.add_argument("--minutes", type=float, default=60, help="of CPU time")
    args.add_argument("--lr", type=float, default=1.5e-3)
    args.add_argument("--until", help="hour of the day at which to end, instead of --minutes")
    args.add_argument("--decay", action="store_true", help="let the learning rate fall to nothing until the end")
    args.add_argument("--frames", type=int, default=450, help="per batch")
    args.add_argument("--drop-frames", type=float, default=0.3, help="share of history frames hidden from the talker")
    args.add_argument("--noise", type=float, default=0.1, help="share of history frames replaced by wrong ones")
    args.add_argument("--predictor-share", type=float, default=0.4, help="share of frames that train the code predictor")
    args.add_argument("--dropout", type=float, default=0.05)
    args.add_argument("--bf16", type=int, default=0, help="worth it only where the CPU has AVX512-BF16 or AMX")
    args.add_argument("--report-every", type=float, default=90, help="CPU seconds")
    return args.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    folder, tokens = paths.sub("talker"), text_tokens.TextTokens(paths.root() / "text/merges.json")
    data, rng = Codes(args.languages.split(",")), random.Random(time.time())
    model = Talker(tokens.size, args.dropout)
    optimiser = torch.optim.AdamW(model.parameters(), args.lr, betas=(0.9, 0.98), weight_decay=0.02, fused=True)
    average, step = Average(model), 0
    last = folder / "last.pt"
    if last.exists():
        state = torch.load(last, weights_only=False)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        for group in optimiser.param_groups:
            group["fused"] = True
        average.weights, step = state["average"], state["step"]
    print("parameters %.2f M," % (sum(p.numel() for p in model.parameters()) / 1e6), data.count(), "sentences, step", step, flush=True)
    budget, clock = intervals.Budget(args.minutes, args.until), intervals.Clock(args.report_every)
    frames, sums, count = 0, torch.zeros(quantiser.GROUPS), 0
    done = 0.0
    while done < 1:
        done = budget.done()
        for group in optimiser.param_groups:
            group["lr"] = args.lr * min(1, (step + 1) / 150) * (max(0.02, 1 - done) if args.decay else 1)
        rows = pick(data.train, args.frames, rng)
        first, rest = losses(model, [item(r, rng.random() > 0.1) for r in rows], tokens, args, True)
        optimiser.zero_grad()
        (first + rest.sum() * 0.6).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        average.update(model, step)
        step += 1
        count += 1
        frames += sum(r[1].shape[1] for r in rows)
        sums += torch.cat([first.detach()[None], rest.detach()])
        if clock.report_due():
            data.refresh()
            ce, gap, others = validate(model, data.validation[:30], tokens, args)
            print(f"{time.strftime('%H:%M')} step {step} sentences {data.count()} frames per CPU second {frames / time.process_time():.0f} train",
                  [round(x, 2) for x in (sums / count).tolist()], f"held out {ce:.3f} gap {gap:.3f} others", [round(x, 2) for x in others], flush=True)
            curve.add(folder, step=step, sentences=data.count(), train=float(sums[0] / count), held_out=ce, gap=gap)
            sums, count = torch.zeros(quantiser.GROUPS), 0
        if clock.save_due() or done >= 1:
            intervals.save(last, {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "average": average.weights, "step": step})


if __name__ == "__main__":
    main()
