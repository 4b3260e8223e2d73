#!/usr/bin/env python3
"""The full-size check: a random 0.6B checkpoint and the codes that the official code speaks with it.

    full_0.6b.py make FOLDER              write the checkpoint (2.6 GB) and check its hashes; needs numpy only
    full_0.6b.py compare CODES.npy [NAME] count the codes that equal the official ones; exit code 1 if any differs
    full_0.6b.py official FOLDER          run the official package (requirements.txt) and write the expected data

NAME is a file of tests/golden/data/full-0.6b without .npy (default: codes_full). The data holds the request, too:
the engine has to be asked for the same text, speaker, language and text feed, greedy, 31 frames, in f32.
"""

import argparse
import hashlib
import json
import os
import sys

import numpy as np

from make_checkpoint import MERGES, make_checkpoint
from make_golden import DATA, FRAMES

NAME = "full-0.6b"
HASHES = os.path.join(DATA, NAME, "checkpoint.json")
HASHED = ("model.safetensors", "speech_tokenizer/model.safetensors", "config.json", "speech_tokenizer/config.json",
          "vocab.json", "merges.txt")
REQUEST = dict(text="Bonjour Kazeia, la voix du monde.", speaker="ryan", language="french")
RUNS = {  # name -> text feed, repetition penalty
    "codes_full": ("full", 1.05),
    "codes_full_no_penalty": ("full", 1.0),
    "codes_streaming": ("streaming", 1.05),
}
STORED_STEPS = [0, 30]  # of the talker's logits
PCM_FRAMES = 4  # the last ones of 31
THREADS = 1


def _hashes(folder):
    out = {}
    for name in HASHED:
        digest = hashlib.sha256()
        with open(os.path.join(folder, name), "rb") as file:
            while block := file.read(1 << 24):
                digest.update(block)
        out[name] = digest.hexdigest()
    return out


def make(folder):
    """Writes the checkpoint; where its hashes are known, they must be met."""
    make_checkpoint(folder, "0.6b", merges=MERGES)
    if not os.path.exists(HASHES):
        return 0
    with open(HASHES, encoding="utf-8") as file:
        expected = json.load(file)
    wrong = [name for name, digest in _hashes(folder).items() if expected[name] != digest]
    print(f"{folder}: " + (f"differs from the recipe: {', '.join(wrong)}" if wrong else "as the recipe says"))
    return 1 if wrong else 0


def compare(path, name):
    codes, expected = np.load(path), np.load(os.path.join(DATA, NAME, f"{name}.npy"))
    if codes.shape != expected.shape:
        print(f"{path}: expected shape {list(expected.shape)}, found {list(codes.shape)}")
        return 1
    equal = int((codes == expected).sum())
    print(f"{path}: {equal} of {expected.size} codes equal the official ones")
    return 0 if equal == expected.size else 1


def official(folder):
    """Runs the official code three times and writes the expected data."""
    import official_run
    from make_golden import Folder, gaps_of
    hashes = _hashes(folder)
    tts, out, gaps = official_run.load(folder, THREADS), Folder(NAME), {}
    save = out.saver()
    for name, (feed, penalty) in RUNS.items():
        record = official_run.synthesize(tts, dict(REQUEST, text_feed=feed),
                                         **official_run.greedy_options(FRAMES, penalty))
        save(name, record.codes, f"[31 frames, code groups] greedy, text feed {feed}, repetition penalty {penalty}")
        gaps[name] = gaps_of(record, 2048)
        if name != "codes_full":
            continue
        save("text_ids", record.text_ids, "[tokens] the whole chat text")
        save("talker_logits", np.stack(record.logits)[STORED_STEPS], f"[steps {STORED_STEPS}, talker vocabulary]")
        cp_logits = np.stack(record.cp_logits[:FRAMES * 15]).reshape(FRAMES, 15, -1)
        save("cp_logits", cp_logits[-1, [0, 14]], "[steps 0 and 14 of the last frame, code predictor vocabulary]")
        samples = tts.model.speech_tokenizer.decode([{"audio_codes": record.codes.astype(np.int64)}])[0][0]
        save("pcm_tail", samples[-PCM_FRAMES * 1920:].astype(np.float32), f"[samples] of the last {PCM_FRAMES} frames")
    out.write_manifest(threads=THREADS, checkpoint="0.6b", request=REQUEST, frames=FRAMES,
                       smallest_gap_of_top_two_logits=gaps)
    with open(HASHES, "w", encoding="utf-8") as file:
        json.dump(hashes, file, indent=1)
        file.write("\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("make", "compare", "official"))
    parser.add_argument("path", help="the checkpoint folder, or the codes to compare")
    parser.add_argument("name", nargs="?", default="codes_full", choices=list(RUNS))
    args = parser.parse_args()
    if args.command == "compare":
        sys.exit(compare(args.path, args.name))
    sys.exit(make(args.path) if args.command == "make" else official(args.path))


if __name__ == "__main__":
    main()
