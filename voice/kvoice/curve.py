"""Training curves: one line of JSON per report, in curve.jsonl beside the weights."""
import json
import time


def add(folder, **values):
    with open(folder / "curve.jsonl", "a", encoding="utf-8") as f:
        f.write(json.dumps({"time": round(time.time()), **values}) + "\n")


def read(folder):
    path = folder / "curve.jsonl"
    return [json.loads(l) for l in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
