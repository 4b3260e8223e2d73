"""Step 6: trains the codec's decoder on the shards that have audio; resumes from $KAZEIA_VOICE_DIR/codec/last.pt.

  train_codec.py mel    codes -> log-mel through everything before the waveform stack: cheap, gives the latents their meaning
  train_codec.py wave   codes -> audio, the whole decoder
"""
import argparse
import time

import numpy as np
import torch

from kvoice import codec, corpus, curve, intervals, paths, spectra
from kvoice.quantiser import Quantiser

SAMPLES = 1920  # per frame
MELS = 8        # log-mel frames per frame
CONTEXT = 14    # frames of codes before the segment, for the transformer
WARM_UP = 8     # latents before the segment, for the waveform stack
DELAY = 960     # samples by which speech lags its codes: a sound is shaped by the next one too, which a causal decoder must have seen


class Audio:
    """Sentences with codes and audio; new shards are taken in by refresh()."""

    def __init__(self):
        self.quantiser = Quantiser.load(paths.root() / "quantiser.pt")
        self.rows, self._seen = [], set()
        self.refresh()

    def refresh(self):
        for language in ("english", "french"):
            for path in corpus.shards(language):
                if path in self._seen:
                    continue
                self._seen.add(path)
                for row in corpus.load(path):
                    if "audio" not in row:
                        break
                    codes = self.quantiser.encode(row)
                    if codes is not None:
                        self.rows.append(self._prepared(codes, row["audio"]))
        self.held_out, self.train = self.rows[:12], self.rows[12:]

    @staticmethod
    def _prepared(codes, samples):
        audio = torch.from_numpy(samples.astype(np.float32) / 32768)
        audio = torch.nn.functional.pad(audio[:-DELAY], (DELAY, 0))
        return torch.from_numpy(codes).long(), audio, spectra.log_mel(audio[None])[0, :, :codes.shape[1] * MELS]

    def batch(self, count, frames):
        """codes [B, G, CONTEXT + frames] (the left part repeats the first frame where a sentence begins), audio, mel."""
        lengths = np.array([r[0].shape[1] for r in self.train], float)
        codes, audio, mel = [], [], []
        for k in np.random.choice(len(self.train), count, p=lengths / lengths.sum()):
            c, a, m = self.train[k]
            have = c.shape[1]
            n = min(frames, have)
            at = np.random.randint(0, have - n + 1)
            left = c[:, max(0, at - CONTEXT):at]
            pad = CONTEXT - left.shape[1]
            fill = c[:, -1:].expand(-1, frames - n)  # silence
            codes.append(torch.cat([c[:, :1].expand(-1, pad), left, c[:, at:at + n], fill], 1))
            audio.append(torch.nn.functional.pad(a[at * SAMPLES:(at + n) * SAMPLES], (0, (frames - n) * SAMPLES)))
            mel.append(torch.nn.functional.pad(m[:, at * MELS:(at + n) * MELS], (0, (frames - n) * MELS), value=float(m.min())))
        return torch.stack(codes), torch.stack(audio), torch.stack(mel)


def noisy(codes, neighbours, wrong, near):
    """Some codes replaced by others of the batch, as the talker's errors will be, and more by neighbours: against learning sentences by heart."""
    groups = torch.arange(codes.shape[1])[None, :, None]
    close = neighbours[groups, codes, torch.randint(neighbours.shape[2], codes.shape)]
    codes = torch.where(torch.rand(codes.shape) < near, close, codes)
    return torch.where(torch.rand(codes.shape) < wrong, codes[torch.randperm(len(codes))], codes)


def mel_loss(decoder, head, codes, mel):
    h = codec.latent(decoder, codes)[..., -mel.shape[-1] // 2:]
    error = head(h) - mel
    return error.abs().mean() + 0.2 * (error ** 2).mean()


def wave_loss(decoder, codes, audio):
    frames = audio.shape[1] // SAMPLES
    h = codec.latent(decoder, codes)[..., -4 * frames - WARM_UP:]
    made = codec.waveform(decoder, h)[:, -audio.shape[1]:]
    mel = (spectra.log_mel(made) - spectra.log_mel(audio)).abs().mean()
    return spectra.multi_resolution(made, audio) + mel, mel


@torch.no_grad()
def held_out_mel(decoder, head, rows, phase):
    decoder.eval()
    errors = []
    for codes, audio, mel in rows[:8]:
        if phase == "mel":
            errors.append(float((head(codec.latent(decoder, codes[None]))[0] - mel).abs().mean()))
        else:
            made = decoder(codes[None])[0, 0]
            errors.append(float((spectra.log_mel(made[None])[0, :, :mel.shape[1]] - mel).abs().mean()))
    decoder.train()
    return sum(errors) / len(errors)


def parse():
    args = argparse.ArgumentParser()
    args.add_argument("phase", choices=("mel", "wave"))
    args.add_argument("--minutes", type=float, default=60, help="of CPU time")
    args.add_argument("--lr", type=float, default=1e-3)
    args.add_argument("--batch", type=int, default=4)
    args.add_argument("--frames", type=int, default=12, help="per segment (wave); the mel phase takes 4 times as many")
    args.add_argument("--near", type=float, default=0.2, help="share of codes replaced by near ones")
    args.add_argument("--until", help="hour of the day at which to end, instead of --minutes")
    args.add_argument("--decay", action="store_true", help="let the learning rate fall to nothing until the end")
    args.add_argument("--report-every", type=float, default=90, help="CPU seconds")
    return args.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    folder, data = paths.sub("codec"), Audio()
    decoder, head, neighbours = codec.make(), codec.MelHead(), data.quantiser.neighbours()
    codec.start_from(decoder, data.quantiser.vectors())
    stack = list(decoder.decoder.parameters())
    before = [p for p in [*decoder.parameters(), *head.parameters()] if p.requires_grad and all(p is not s for s in stack)]
    params, gentle = before + stack, 0.3 if args.phase == "wave" else 1.0  # the mel phase has taught the latents already
    groups = [{"params": before, "share": gentle}, {"params": stack, "share": 1.0}]
    optimiser, step = torch.optim.AdamW(groups, args.lr, betas=(0.8, 0.98), weight_decay=0.0, fused=True), 0
    average = {k: v.clone() for k, v in decoder.state_dict().items()}
    last = folder / "last.pt"
    if last.exists():
        state = torch.load(last, weights_only=False)
        decoder.load_state_dict(state["decoder"])
        head.load_state_dict(state["head"])
        average, step = state["average"], state["step"]
        if state["phase"] == args.phase:
            optimiser.load_state_dict(state["optimiser"])
            for group in optimiser.param_groups:
                group["fused"] = True
    print(args.phase, "parameters %.2f M," % (sum(p.numel() for p in decoder.parameters()) / 1e6), len(data.train), "sentences, step", step, flush=True)
    budget, clock, seen, sums, fresh = intervals.Budget(args.minutes, args.until), intervals.Clock(args.report_every), 0, [], 0
    done = 0.0
    while done < 1:
        done = budget.done()
        for group in optimiser.param_groups:
            group["lr"] = group["share"] * args.lr * min(1, (fresh + 1) / 50) * (max(0.02, 1 - done) if args.decay else 1)
        codes, audio, mel = data.batch(args.batch, args.frames * (4 if args.phase == "mel" else 1))
        if args.phase == "mel":
            loss = shown = mel_loss(decoder, head, noisy(codes, neighbours, 0.02, args.near), mel)
        else:
            loss, shown = wave_loss(decoder, noisy(codes, neighbours, 0.01, args.near), audio)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 3.0)
        optimiser.step()
        with torch.no_grad():
            keep = min(0.995, (fresh + 1) / (fresh + 20))
            for k, v in decoder.state_dict().items():
                average[k].lerp_(v, 1 - keep)
        step, fresh, seen = step + 1, fresh + 1, seen + codes.shape[0] * audio.shape[1] / 24000
        sums.append((float(loss.detach()), float(shown.detach())))
        if clock.report_due():
            data.refresh()
            a, b = np.mean(sums, 0)
            mel_error = held_out_mel(decoder, head, data.held_out, args.phase)
            curve.add(folder, phase=args.phase, step=step, sentences=len(data.train), loss=a, mel=b, held_out=mel_error)
            print(f"{time.strftime('%H:%M')} {args.phase} step {step} sentences {len(data.train)} audio s per CPU second {seen / time.process_time():.2f}",
                  f"loss {a:.3f} mel {b:.3f} held out {mel_error:.3f}", flush=True)
            sums = []
        if clock.save_due() or done >= 1:
            intervals.save(last, {"decoder": decoder.state_dict(), "average": average, "head": head.state_dict(),
                                  "optimiser": optimiser.state_dict(), "step": step, "phase": args.phase})


if __name__ == "__main__":
    main()
