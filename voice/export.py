"""Step 8: the checkpoint folder in the official layout, $KAZEIA_VOICE_DIR/checkpoint, from the averaged weights."""
import torch

from kvoice import checkpoint, paths, text_tokens


def main():
    root = paths.root()
    talker, codec = (torch.load(root / name / "last.pt", weights_only=False)["average"] for name in ("talker", "codec"))
    tokens = text_tokens.TextTokens(root / "text/merges.json")
    checkpoint.write(root / "checkpoint", talker, codec, tokens)
    size = sum(p.stat().st_size for p in (root / "checkpoint").rglob("*.safetensors"))
    print(root / "checkpoint", round(size / 1e6, 1), "MB of weights")


if __name__ == "__main__":
    main()
