"""Draws the training curves into voice/curves/*.png. Needs matplotlib."""
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from kvoice import curve, paths


def draw(title, rows, names, file):
    if not rows:
        return
    figure, axis = plt.subplots(figsize=(7, 4))
    for name in names:
        axis.plot([r["step"] for r in rows], [r[name] for r in rows], label=name.replace("_", " "))
    axis.set_xlabel("step")
    axis.set_title(title)
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=90)


def main():
    out = Path(__file__).parent / "curves"
    out.mkdir(exist_ok=True)
    talker, codec = curve.read(paths.root() / "talker"), curve.read(paths.root() / "codec")
    draw("talker: cross entropy of group 0 and wrong-text gap, nats", talker, ("train", "held_out", "gap"), out / "talker.png")
    for phase in ("mel", "wave"):
        draw(f"codec, {phase} phase: log-mel L1", [r for r in codec if r["phase"] == phase], ("mel", "held_out"), out / f"codec_{phase}.png")


if __name__ == "__main__":
    main()
