"""Step 7: trains the codec's decoder; resumes from $KAZEIA_VOICE_DIR/codec/last.pt.

  train_codec.py mel    codes -> log-mel through everything before the waveform stack: cheap, gives the latents their meaning
  train_codec.py wave   codes -> audio, the whole decoder, on the sentences with audio; the log-mel of all goes on beside it
"""
import argparse
import copy
import random
import time

import numpy as np
import torch

from kvoice import codec, curve, intervals, paths, spectra
from kvoice.heard import SAMPLES, Heard

STARTS = 0.25      # of the steps see beginnings of sentences
WARM_UP = 8       # latents before the segment, for the waveform stack
MEL_SHARE = 0.5   # of the foretold log-mels in the second phase: the latents must not learn the few spoken sentences by heart


def noisy(codes, neighbours, wrong, near):
    """Some codes replaced by others of the batch, as the talker's errors will be, and more by neighbours: against learning sentences by heart."""
    groups = torch.arange(codes.shape[1])[None, :, None]
    close = neighbours[groups, codes, torch.randint(neighbours.shape[2], codes.shape)]
    codes = torch.where(torch.rand(codes.shape) < near, close, codes)
    return torch.where(torch.rand(codes.shape) < wrong, codes[torch.randperm(len(codes))], codes)


def mel_loss(latents, head, mel):
    error = head(latents[..., -mel.shape[-1] // 2:]) - mel  # 50 Hz latents, 100 Hz mels
    return error.abs().mean() + 0.2 * (error ** 2).mean()


class OldMeaning:
    """Holds the latents near those that a trained waveform stack knows, so that teaching them again doesn't make it start again."""

    def __init__(self, decoder, later):
        self._decoder, self._later, self._spread = copy.deepcopy(decoder).eval(), later, None

    @torch.no_grad()
    def _wanted(self, codes):
        h = codec.latent(self._decoder, codes)
        self._spread = self._spread or float(h.std())
        return h[..., WARM_UP:h.shape[-1] - self._later]

    def distance(self, latents, codes):
        return ((latents[..., WARM_UP + self._later:] - self._wanted(codes)) / self._spread).pow(2).mean()


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
    for _, codes, audio, mel in rows:
        if phase == "mel":
            errors.append(float((head(codec.latent(decoder, codes[None].long()))[0] - mel).abs().mean()))
        else:
            made = decoder(codes[None].long())[0, 0]
            errors.append(float((spectra.log_mel(made[None])[0, :, :mel.shape[1]] - mel).abs().mean()))
    return sum(errors) / len(errors)


def restored(decoder, average):
    made = copy.deepcopy(decoder)
    made.load_state_dict(average)
    return made


def parse():
    args = argparse.ArgumentParser()
    args.add_argument("phase", choices=("mel", "wave"))
    args.add_argument("--minutes", type=float, default=60, help="of CPU time")
    args.add_argument("--lr", type=float, default=1e-3)
    args.add_argument("--batch", type=int, default=4)
    args.add_argument("--frames", type=int, default=12, help="per segment (wave); the mel phase takes 4 times as many")
    args.add_argument("--near", type=float, default=0.2, help="share of codes replaced by near ones")
    args.add_argument("--hold", type=float, default=0.0, help="weight of keeping the old meaning of the latents (mel)")
    args.add_argument("--later", type=int, default=0, help="latents of 20 ms by which the speech lags more than before, with --hold")
    args.add_argument("--until", help="hour of the day at which to end, instead of --minutes")
    args.add_argument("--decay", action="store_true", help="let the learning rate fall to nothing until the end")
    args.add_argument("--report-every", type=float, default=90, help="CPU seconds")
    return args.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    folder, data = paths.sub("codec"), Heard()
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
        head.load_state_dict(state["head"])
        average, step = state["average"], state["step"]
        decoder.load_state_dict(state["decoder"] if state["phase"] == args.phase else average)
        if state["phase"] == args.phase:
            optimiser.load_state_dict(state["optimiser"])
            for group in optimiser.param_groups:
                group["fused"] = True
    old = OldMeaning(restored(decoder, average), args.later) if args.hold else None
    print(args.phase, "parameters %.2f M," % (sum(p.numel() for p in decoder.parameters()) / 1e6), len(data.train), "sentences spoken,", len(data.foretold),
          "foretold, step", step, flush=True)
    budget, clock, seen, sums, fresh = intervals.Budget(args.minutes, args.until), intervals.Clock(args.report_every), 0, [], 0
    done = 0.0
    while done < 1:
        done = budget.done()
        for group in optimiser.param_groups:
            group["lr"] = group["share"] * args.lr * min(1, (fresh + 1) / 50) * (max(0.02, 1 - done) if args.decay else 1)
        starts = random.random() < STARTS
        codes, mel = data.mel_batch(args.batch, args.frames * 4, starts)
        latents = codec.latent(decoder, noisy(codes, neighbours, 0.02, args.near))
        loss = shown = mel_loss(latents, head, mel)
        if old:
            loss = loss + args.hold * old.distance(latents, codes)
        if args.phase == "wave":
            codes, audio = data.batch(args.batch, args.frames, starts)
            spoken, shown = wave_loss(decoder, noisy(codes, neighbours, 0.01, args.near), audio)
            loss = spoken + MEL_SHARE * loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 3.0)
        optimiser.step()
        with torch.no_grad():
            keep = min(0.995, (fresh + 1) / (fresh + 20))
            for k, v in decoder.state_dict().items():
                average[k].lerp_(v, 1 - keep)
        step, fresh, seen = step + 1, fresh + 1, seen + codes.shape[0] * args.frames * (4 if args.phase == "mel" else 1) * 0.08
        sums.append((float(loss.detach()), float(shown.detach())))
        if clock.report_due():
            data.refresh()
            a, b = np.mean(sums, 0)
            mel_error = held_out_mel(restored(decoder, average), head, data.held_out, args.phase)
            curve.add(folder, phase=args.phase, step=step, sentences=len(data.train), foretold=len(data.foretold), loss=a, mel=b, held_out=mel_error)
            print(f"{time.strftime('%H:%M')} {args.phase} step {step} sentences {len(data.train)}+{len(data.foretold)} audio s per CPU second {seen / time.process_time():.2f}",
                  f"loss {a:.3f} mel {b:.3f} held out {mel_error:.3f}", flush=True)
            sums = []
        if clock.save_due() or done >= 1:
            intervals.save(last, {"decoder": decoder.state_dict(), "average": average, "head": head.state_dict(),
                                  "optimiser": optimiser.state_dict(), "step": step, "phase": args.phase})


if __name__ == "__main__":
    main()
