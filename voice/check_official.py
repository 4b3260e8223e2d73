"""Checks that the official package reads the checkpoint and computes what the training code computes.

Talker and code predictor: logits along a random prompt and its codes; codec: samples. Also the token ids of the prompt's fixed parts.
"""
import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from qwen_tts import Qwen3TTSModel
from safetensors.torch import load_file

from kvoice import codec, layout, paths, settings, text_tokens
from kvoice.talker import Talker


def main():
    torch.manual_seed(0)
    folder, tokens = paths.root() / "checkpoint", text_tokens.TextTokens(paths.root() / "text/merges.json")
    official = Qwen3TTSModel.from_pretrained(str(folder), dtype=torch.float32, attn_implementation="eager")
    ours = Talker(tokens.size).eval()
    ours.load_state_dict({k.removeprefix("talker."): v.float() for k, v in load_file(folder / "model.safetensors").items()})
    text = "It's 5 o'clock, and the assistant's café is open."
    wrapped = official.processor(text=f"<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n", return_tensors="pt")["input_ids"][0].tolist()
    assert wrapped[:3] == tokens.role, "role"
    assert wrapped[3:-5] == tokens.encode(text), "text ids differ"
    print("text ids", len(wrapped) - 8, "equal")
    codes = torch.randint(0, settings.CODES, (4, 20))
    batch = layout.batch([(tokens.encode(text), codes, "heart", "english")], tokens)
    x = layout.embed(ours, *batch[:4]).detach()
    a, b = ours.model(x), official.model.talker.model(inputs_embeds=x).last_hidden_state
    print("talker hidden: largest difference %.2e of %.2f" % ((a - b).abs().max(), b.abs().max()))
    hidden, frames = a[0, :20], codes.T
    y = ours.code_predictor.model(ours.predictor_input(hidden, frames[:, :-1]))
    mine = torch.stack([head(y[:, i + 1]) for i, head in enumerate(ours.code_predictor.lm_head)], 1)
    theirs = torch.stack([official.model.talker.forward_sub_talker_finetune(frames, hidden)[0]], 0)[0]
    print("code predictor logits: largest difference %.2e of %.2f" % ((mine - theirs).abs().max(), theirs.abs().max()))
    decoder = official.model.speech_tokenizer.model.decoder
    fast, whole = codec.waveform(decoder, codec.latent(decoder, codes[None]))[0], decoder(codes[None])[0, 0]
    print("codec samples: largest difference %.2e of %.3f" % ((fast.clamp(-1, 1) - whole).abs().max(), whole.abs().max()))


if __name__ == "__main__":
    with torch.no_grad():
        main()
