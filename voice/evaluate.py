"""Step 10: what people would hear: WER and CER on the held-out sentences, from the averaged weights (not from the checkpoint).

  evaluate.py english                text -> codes -> audio -> recogniser
  evaluate.py english --codec        codes of the teacher -> audio: the codec alone
  evaluate.py english --teacher      the teacher on the text-synchronous grid: the ceiling
"""
import argparse
from pathlib import Path

import numpy as np
import soundfile
import torch

from kvoice import codec, listen, paths, recite, settings, speaker, text_tokens
from kvoice.quantiser import Quantiser
from kvoice.talker import Talker

SPEAKER = {language: name for name, language in settings.SPEAKERS.items()}


def codec_decoder():
    decoder = codec.make()
    decoder.load_state_dict(torch.load(paths.root() / "codec/last.pt", weights_only=False)["average"])
    return decoder.eval()


def talker_codes(texts, language, tokens, temperature):
    model = Talker(tokens.size)
    model.load_state_dict(torch.load(paths.root() / "talker/last.pt", weights_only=False)["average"])
    torch.manual_seed(0)
    codes, ended = speaker.speak(model, [(tokens.encode(t), SPEAKER[language], language) for t in texts], tokens, temperature)
    print("ended by itself:", sum(ended), "of", len(ended))
    return codes


def teacher_recitals(texts, language, tokens):
    from kvoice.teacher import Teacher

    teacher = Teacher()
    return teacher, [recite.recite(t, language, tokens, teacher) for t in texts]


def parse():
    args = argparse.ArgumentParser()
    args.add_argument("language", choices=("english", "french"))
    args.add_argument("--count", type=int, default=20)
    args.add_argument("--temperature", type=float, default=0.0)
    args.add_argument("--codec", action="store_true")
    args.add_argument("--teacher", action="store_true")
    args.add_argument("--out", default="listen", help="folder of the audio files")
    return args.parse_args()


def main():
    args = parse()
    torch.set_num_threads(1)
    texts = (Path(__file__).parent / f"text/eval_{args.language[:2]}.txt").read_text(encoding="utf-8").splitlines()[:args.count]
    tokens = text_tokens.TextTokens(paths.root() / "text/merges.json")
    if args.teacher or args.codec:
        teacher, recitals = teacher_recitals(texts, args.language, tokens)
        texts, recitals = zip(*[(t, r) for t, r in zip(texts, recitals) if r])
    if args.teacher:
        audio = [recite.audio(r, teacher) for r in recitals]
    else:
        if args.codec:
            from kvoice.codes import learned
            from kvoice.corpus import row
            quantiser = Quantiser.load(paths.root() / "quantiser.pt")
            codes = [learned(torch.from_numpy(quantiser.encode(row(r))).long(), args.language) for r in recitals]
        else:
            codes = talker_codes(texts, args.language, tokens, args.temperature)
        decoder = codec_decoder()
        with torch.no_grad():
            audio = [decoder(c[None])[0, 0].numpy() if c.shape[1] else np.zeros(4800, np.float32) for c in codes]
    folder = paths.sub(args.out)
    for i, samples in enumerate(audio):
        soundfile.write(folder / f"{args.language[:2]}{i:02d}.wav", samples, 24000)
    result = listen.score([(t, listen.transcribe(a, args.language)) for t, a in zip(texts, audio)], args.language)
    for said, heard in result["wrong"]:
        print(f"  {said}\n      {heard}")
    print(f"{args.language}: {len(texts)} sentences, WER {result['wer']:.3f}, CER {result['cer']:.3f}")


if __name__ == "__main__":
    main()
