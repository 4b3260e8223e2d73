"""Quick check without a codec: phoneme error rate of the free-running talker on the held-out shard, against the teacher's codes."""
import argparse

import jiwer
import torch

from kvoice import paths, settings, speaker, text_tokens
from kvoice.codes import Codes
from kvoice.talker import Talker


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--count", type=int, default=24)
    args.add_argument("--temperature", type=float, default=0.0)
    args.add_argument("--show", type=int, default=6)
    args = args.parse_args()
    torch.set_num_threads(1)
    tokens, data = text_tokens.TextTokens(paths.root() / "text/merges.json"), Codes(["english"])
    rows = data.validation[:args.count]
    model = Talker(tokens.size)
    state = torch.load(paths.root() / "talker/last.pt", weights_only=False)
    model.load_state_dict(state["average"])
    codes, ended = speaker.speak(model, [(r[0], "heart", "english") for r in rows], tokens, args.temperature)
    said, meant = [data.quantiser.spell(c) for c in codes], [data.quantiser.spell(r[1]) for r in rows]
    for r, a, b in list(zip(rows, said, meant))[:args.show]:
        print(r[2], "\n   ", b, "\n   ", a)
    exact = sum(c.shape[1] == r[1].shape[1] for c, r in zip(codes, rows))
    print("step", state["step"], "phoneme error rate %.3f" % jiwer.cer(meant, said), "ended", sum(ended), "exact length", exact, "of", len(rows))


if __name__ == "__main__":
    main()
