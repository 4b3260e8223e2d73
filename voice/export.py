"""Step 9: the checkpoint folder in the official layout, $KAZEIA_VOICE_DIR/checkpoint, from the averaged weights."""
import shutil

import torch

from kvoice import checkpoint, paths, text_tokens

GAIN = 1.3  # brings the teacher's level, about -22 dBFS, to -20; peaks stay below 0.95


def louder(weights):
    """The codec's last convolution is linear: scaling it scales the speech."""
    last = max(int(k.split(".")[1]) for k in weights if k.startswith("decoder."))
    return {k: v * GAIN if k.startswith(f"decoder.{last}.conv.") else v for k, v in weights.items()}


def main():
    root = paths.root()
    talker, codec = (torch.load(root / name / "last.pt", weights_only=False)["average"] for name in ("talker", "codec"))
    tokens = text_tokens.TextTokens(root / "text/merges.json")
    part, whole = root / "checkpoint.part", root / "checkpoint"
    shutil.rmtree(part, ignore_errors=True)
    checkpoint.write(part, talker, louder(codec), tokens)
    shutil.rmtree(whole, ignore_errors=True)
    part.rename(whole)
    size = sum(p.stat().st_size for p in whole.rglob("*.safetensors"))
    print(whole, round(size / 1e6, 1), "MB of weights")


if __name__ == "__main__":
    main()
