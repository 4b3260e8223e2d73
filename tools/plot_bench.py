"""Draws `kazeia bench --json` reports as stacked bars of stage times: plot_bench.py RUN.json... -o stages.png

One bar for each report. Needs matplotlib (pip install matplotlib); the engine does not.
"""
import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

REAL_TIME_MS = 80  # one frame of audio
WAVE_NAMES = {"wave": "codec: wave decoder"}
STAGES = ("talker", "code_predictor", "sampling", "wave")


def times(report):
    """Milliseconds per frame of each drawn stage; what the codec does outside its wave decoder is one of them."""
    stages = report["stages"]
    drawn = {WAVE_NAMES.get(name, name.replace("_", " ")): stages[name]["ms_per_frame"] for name in STAGES}
    drawn["codec: the rest"] = stages["codec"]["ms_per_frame"] - stages["wave"]["ms_per_frame"]
    return drawn


def label(report):
    return f"{report['model']}\n{report['machine']['processor']}, {report['threads']} threads, RTF {report['real_time_factor']:.2f}"


def draw(reports, path):
    figure, axis = plt.subplots(figsize=(9, 1.4 + 0.8 * len(reports)))
    for row, report in enumerate(reports):
        left = 0
        for number, (name, ms) in enumerate(times(report).items()):
            axis.barh(row, ms, left=left, color=f"C{number}", label=name if row == 0 else None)
            if ms > 4:
                axis.text(left + ms / 2, row, f"{ms:.1f}", ha="center", va="center", color="white")
            left += ms
    axis.axvline(REAL_TIME_MS, color="black", linestyle="--", linewidth=1, label="real time")
    axis.set_yticks(range(len(reports)), [label(r) for r in reports])
    axis.invert_yaxis()
    axis.set_xlabel("ms per frame of 80 ms")
    axis.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.4, -0.35 / (0.5 + 0.3 * len(reports))))
    figure.savefig(path, dpi=100, bbox_inches="tight")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("reports", nargs="+", type=Path)
    args.add_argument("-o", "--output", required=True, type=Path)
    args = args.parse_args()
    draw([json.loads(path.read_text(encoding="utf-8")) for path in args.reports], args.output)


if __name__ == "__main__":
    main()
