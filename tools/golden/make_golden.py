#!/usr/bin/env python3
"""Makes the golden tensors of tests/golden/data from the official code (PyPI qwen-tts, see requirements.txt).

    python3 tools/golden/make_golden.py --all          everything
    python3 tools/golden/make_golden.py tiny sampling  only these parts

Random checkpoints are made first, then the official package runs on them in float32 with eager attention, greedy, and
every tensor on the way is written as .npy. tests/golden/README.md says what each file holds.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys

import numpy as np

from make_checkpoint import MERGES, make_checkpoint

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/golden/data")
FRAMES = 31
FEW_STEPS = 8  # of the talker's logits with the streaming text feed; its hidden state is kept for all
THREADS = 1
TINY = ("tiny", "tiny-mtp", "tiny-4x512")
PROMPTS_ONLY = {"tiny-voice-design": "voice_design", "tiny-base": "base"}  # weights: those of tiny
PARTS = (*TINY, *PROMPTS_ONLY, "sampling")
REQUEST = dict(text="Bonjour Kazeia, la voix du monde.", speaker="ryan", language="french")


class Folder:
    """One folder of .npy files and the manifest that describes them."""

    def __init__(self, name):
        self.path = os.path.join(DATA, name)
        shutil.rmtree(self.path, ignore_errors=True)
        self.files = {}

    def saver(self, prefix=""):
        """save(name, array, meaning): writes prefix + name + .npy."""

        def save(name, values, meaning):
            file = f"{prefix}{name}.npy"
            os.makedirs(os.path.dirname(os.path.join(self.path, file)), exist_ok=True)
            np.save(os.path.join(self.path, file), np.ascontiguousarray(values))
            self.files[file] = dict(dtype=str(values.dtype), shape=list(values.shape), meaning=meaning)

        return save

    def write_manifest(self, threads=THREADS, **extra):
        import torch
        import transformers
        versions = dict(numpy=np.__version__, qwen_tts="0.1.1", torch=torch.__version__,
                        transformers=transformers.__version__)
        made_by = f"tools/golden/{os.path.basename(sys.argv[0])}"
        manifest = dict(made_by=made_by, scripts_sha256=_scripts_hash(), versions=versions, dtype="float32",
                        attention="eager", threads=threads, **extra, files=self.files)
        with open(os.path.join(self.path, "manifest.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1, ensure_ascii=False)
            file.write("\n")


def _scripts_hash():
    folder, digest = os.path.dirname(os.path.abspath(__file__)), hashlib.sha256()
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".py")):
        with open(os.path.join(folder, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _checkpoint(name):
    return os.path.join(DATA, "checkpoints", name)


def _smallest_gap(scores):
    """The smallest distance between the two largest of each row: how far greedy decoding is from a tie."""
    top = np.sort(np.asarray(scores), axis=-1)
    return float((top[..., -1] - top[..., -2]).min())


def gaps_of(record, num_codes):
    """The smallest gaps of a run: raw talker logits, the same after the processors, code predictor logits."""
    import torch
    scores = []
    for step in range(FRAMES):
        previous = torch.from_numpy(record.codes[:step, :1].T.astype(np.int64))
        scores.append(record.talker_processors(previous, torch.from_numpy(record.logits[step].copy())[None])[0].numpy())
    return dict(talker=_smallest_gap([x[:num_codes] for x in record.logits]),
                talker_processed=_smallest_gap([x[:num_codes] for x in scores]),
                code_predictor=_smallest_gap(record.cp_logits))


def _save_run(record, prompt_ids, trailing_ids, save, all_logits):
    groups = record.codes.shape[1]
    save("text_ids", record.text_ids, "[tokens] the whole chat text")
    save("prompt_ids", prompt_ids, "[rows, 2] text id and codec id, -1: none")
    save("trailing_ids", trailing_ids, "[rows] text ids added one with each frame, then pad")
    save("prompt_embeds", record.prompt_embeds, "[rows, talker width]")
    save("trailing_embeds", record.trailing_embeds, "[rows, talker width]")
    save("pad_embed", record.pad_embed, "[talker width]")
    save("prefill_layers", np.stack(record.prefill_layers),
         "[layers, rows, talker width] after each layer, before the final norm")
    save("step_inputs", np.stack(record.inputs[:FRAMES - 1]),
         "[30 steps, talker width] talker input of steps 1 .. 30: frame embeddings plus text")
    save("step_hidden", np.stack(record.hidden[:FRAMES]), "[31 steps, talker width] after the final norm")
    steps = FRAMES if all_logits else FEW_STEPS
    save("talker_logits", np.stack(record.logits[:steps]),
         f"[{steps} steps, talker vocabulary] given codes 0 .. step - 1")
    if all_logits:
        cp_logits = np.stack(record.cp_logits[:FRAMES * (groups - 1)]).reshape(FRAMES, groups - 1, -1)
        save("cp_logits", cp_logits, "[31 frames, code groups - 1, code predictor vocabulary]")
    save("codes", record.codes, "[31 frames, code groups] greedy, repetition penalty 1.05")


def make_tiny(name):
    """Checkpoint, both text feeds, codec and prompts of one variant."""
    import golden_codec
    import golden_prompts
    import official_run
    make_checkpoint(_checkpoint(name), name)
    tts = official_run.load(_checkpoint(name), THREADS)
    folder, gaps = Folder(name), {}
    for feed in ("full", "streaming"):
        request = dict(REQUEST, text_feed=feed)
        record = official_run.synthesize(tts, request, **official_run.greedy_options(FRAMES, 1.05))
        assert record.codes.shape[0] == FRAMES
        save = folder.saver(f"{feed}/")
        _save_run(record, *golden_prompts.check(tts, request, record), save, all_logits=feed == "full")
        plain = official_run.synthesize(tts, request, **official_run.greedy_options(FRAMES, 1.0))
        save("codes_no_penalty", plain.codes, "[31 frames, code groups] greedy, no repetition penalty")
        num_codes = tts.model.config.talker_config.vocab_size - 1024
        gaps[feed] = dict(default=gaps_of(record, num_codes), no_penalty=gaps_of(plain, num_codes))
        if feed == "full":
            golden_codec.make(tts, record.codes, folder.saver("codec/"))
    prompts = golden_prompts.make(tts, folder.saver("prompts/"))
    folder.write_manifest(checkpoint=name, request=REQUEST, frames=FRAMES, smallest_gap_of_top_two_logits=gaps,
                          prompts=prompts)


def make_prompts_only(name):
    import golden_prompts
    import official_run
    make_checkpoint(_checkpoint(name), "tiny", PROMPTS_ONLY[name], weights_from=_checkpoint("tiny"))
    tts = official_run.load(_checkpoint(name), THREADS)
    folder = Folder(name)
    prompts = golden_prompts.make(tts, folder.saver("prompts/"))
    folder.write_manifest(checkpoint=name, prompts=prompts)


def make_sampling():
    import golden_sampling
    import official_run
    tts = official_run.load(_checkpoint("tiny"), THREADS)
    folder = Folder("sampling")
    cases = golden_sampling.make(tts, folder.saver())
    folder.write_manifest(checkpoint="tiny", cases=cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="what to make: " + ", ".join(PARTS))
    parser.add_argument("--all", action="store_true", help="make all parts")
    args = parser.parse_args()
    parts = PARTS if args.all else args.parts
    if not parts or set(parts) - set(PARTS):
        parser.error("name the parts to make, or --all")
    if not os.path.exists(MERGES):
        sys.exit(f"{MERGES}: not found; the checkpoints are cut from it")
    for part in parts:
        print(f"making {part}", flush=True)
        if part in TINY:
            make_tiny(part)
        elif part in PROMPTS_ONLY:
            make_prompts_only(part)
        else:
            make_sampling()


if __name__ == "__main__":
    main()
