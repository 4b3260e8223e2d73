"""Checks that the official package reads the checkpoint and computes what the training code and the engine compute.

  check_official.py                      token ids; talker and code predictor along random codes; codec samples
  check_official.py --engine kazeia      and greedy codes of held-out sentences, those of `kazeia say` on the same weights
"""
import argparse
import os
import subprocess
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
from qwen_tts import Qwen3TTSModel
from safetensors.torch import load_file

from kvoice import codec, layout, paths, settings, text_tokens
from kvoice.talker import Talker

SENTENCES = ((3, 8, 15, 20, 30, 40), (1, 4, 13))  # lines of eval_en.txt and eval_fr.txt


def check_text(official, tokens):
    text = "It's 5 o'clock, and the assistant's café is open."
    wrapped = official.processor(text=f"<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>assistant\n", return_tensors="pt")["input_ids"][0].tolist()
    assert wrapped[:3] == tokens.role, "role"
    assert wrapped[3:-5] == tokens.encode(text), "text ids differ"
    print("text ids", len(wrapped) - 8, "equal")
    return text


def check_talker(official, ours, tokens, text, codes):
    batch = layout.batch([(tokens.encode(text), codes, "heart", "english")], tokens)
    x = layout.embed(ours, *batch[:4]).detach()
    a, b = ours.model(x), official.model.talker.model(inputs_embeds=x).last_hidden_state
    print("talker hidden: largest difference %.2e of %.2f" % ((a - b).abs().max(), b.abs().max()))
    hidden, frames = a[0, :20], codes.T
    y = ours.code_predictor.model(ours.predictor_input(hidden, frames[:, :-1]))
    mine = torch.stack([head(y[:, i + 1]) for i, head in enumerate(ours.code_predictor.lm_head)], 1)
    theirs = torch.stack([official.model.talker.forward_sub_talker_finetune(frames, hidden)[0]], 0)[0]
    print("code predictor logits: largest difference %.2e of %.2f" % ((mine - theirs).abs().max(), theirs.abs().max()))


def check_codec(official, codes):
    decoder = official.model.speech_tokenizer.model.decoder
    fast, whole = codec.waveform(decoder, codec.latent(decoder, codes[None]))[0], decoder(codes[None])[0, 0]
    print("codec samples: largest difference %.2e of %.3f" % ((fast.clamp(-1, 1) - whole).abs().max(), whole.abs().max()))


def official_codes(official, text, speaker, language):
    """[frames, GROUPS] of the official package, always the likeliest code, text fed as the speech goes."""
    made = []
    decode = official.model.speech_tokenizer.decode
    official.model.speech_tokenizer.decode = lambda codes: (made.extend(codes), decode(codes))[1]
    official.generate_custom_voice(text, speaker=speaker, language=language, non_streaming_mode=False, do_sample=False, subtalker_dosample=False,
                                   repetition_penalty=1.0, max_new_tokens=300)
    official.model.speech_tokenizer.decode = decode
    return np.asarray(made[0]["audio_codes"])


def engine_codes(engine, model, text, speaker, language):
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "codes.npy"
        subprocess.run([engine, "say", "-m", str(model), "-v", speaker, "-l", language, "--greedy", "-t", "1", "--codes", str(file),
                        "-o", str(Path(place) / "speech.wav"), text], check=True, capture_output=True)
        return np.load(file)


def check_engine(official, engine, folder):
    """Greedy codes of whole sentences, both in f32: a difference needs two codes that are equally likely to the last digits.

    (From the folder itself the engine multiplies in bf16, the type of its weights, and such codes come closer.)
    """
    equal, total = 0, 0
    model = paths.root() / "voice-f32.gguf"
    subprocess.run([engine, "convert", str(folder), "-o", str(model), "--type", "f32"], check=True, capture_output=True)
    for (speaker, language), numbers in zip(settings.SPEAKERS.items(), SENTENCES):
        texts = (Path(__file__).parent / f"text/eval_{language[:2]}.txt").read_text(encoding="utf-8").splitlines()
        for text in (texts[n] for n in numbers):
            a, b = official_codes(official, text, speaker, language), engine_codes(engine, model, text, speaker, language)
            n = min(len(a), len(b))
            same = a.shape == b.shape and bool((a == b).all())
            print("equal" if same else f"DIFFERS in {int((a[:n] != b[:n]).any(1).sum())} of {len(a)} and {len(b)} frames", len(a), "frames:", text)
            equal, total = equal + same, total + 1
    print("greedy codes of the official package and of the engine:", equal, "of", total, "sentences equal")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--engine", help="the program kazeia")
    args = args.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    folder, tokens = paths.root() / "checkpoint", text_tokens.TextTokens(paths.root() / "text/merges.json")
    official = Qwen3TTSModel.from_pretrained(str(folder), dtype=torch.float32, attn_implementation="eager")
    ours = Talker(tokens.size).eval()
    ours.load_state_dict({k.removeprefix("talker."): v.float() for k, v in load_file(folder / "model.safetensors").items()})
    codes = torch.randint(0, settings.CODES, (4, 20))
    check_talker(official, ours, tokens, check_text(official, tokens), codes)
    check_codec(official, codes)
    if args.engine:
        check_engine(official, args.engine, folder)


if __name__ == "__main__":
    with torch.no_grad():
        main()
