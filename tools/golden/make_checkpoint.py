#!/usr/bin/env python3
"""Makes a Qwen3-TTS checkpoint with random weights in the layout of the published ones. Needs numpy only.

    make_checkpoint.py OUT --variant 0.6b|1.7b|tiny|tiny-mtp|tiny-4x512 [--type custom_voice|voice_design|base]

The same arguments give the same bytes on every machine. OUT gets config.json, generation_config.json,
model.safetensors (bf16), vocab.json, merges.txt, tokenizer_config.json, preprocessor_config.json and
speech_tokenizer/ with config.json, model.safetensors (f32), preprocessor_config.json. The speech is noise.
"""

import argparse
import json
import os

import checkpoint_config
import checkpoint_tensors
import safetensors_file
from checkpoint_tokenizer import make_tokenizer, write_tokenizer
from checkpoint_variants import VARIANTS

MERGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/unit/data/tokenizer_merges.txt")
MODEL_TYPES = ("custom_voice", "voice_design", "base")


def _write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def _link_weights(folder, source):
    """Takes tokenizer, codec and weights from another folder by relative links."""
    for name in ("model.safetensors", "vocab.json", "merges.txt", "tokenizer_config.json", "speech_tokenizer"):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(os.path.join(os.path.relpath(source, folder), name), path)


def make_checkpoint(folder, variant_name, model_type="custom_voice", merges=MERGES, weights_from=None):
    """Writes the checkpoint. weights_from: a folder of the same variant to link the large files to."""
    variant = VARIANTS[variant_name]
    tokenizer = make_tokenizer(merges, variant.small_vocabulary)
    # 151,936 rows for the published vocabulary, which ends at id 151,675: a multiple of 128 with room to spare.
    text_vocab_size = -(-(max(tokenizer.added) + 1) // 64) * 64 if variant.small_vocabulary else 151936
    os.makedirs(folder, exist_ok=True)
    _write_json(folder, "config.json",
                checkpoint_config.model_config(variant, model_type, tokenizer, text_vocab_size))
    _write_json(folder, "generation_config.json", checkpoint_config.generation_config())
    model_preprocessor, codec_preprocessor = checkpoint_config.preprocessor_configs()
    _write_json(folder, "preprocessor_config.json", model_preprocessor)
    if weights_from:
        _link_weights(folder, weights_from)
        return
    codec_folder = os.path.join(folder, "speech_tokenizer")
    os.makedirs(codec_folder, exist_ok=True)
    write_tokenizer(folder, tokenizer)
    _write_json(codec_folder, "config.json", checkpoint_config.speech_tokenizer_config(variant))
    _write_json(codec_folder, "preprocessor_config.json", codec_preprocessor)
    model = checkpoint_tensors.model_tensors(variant, text_vocab_size, checkpoint_config.talker_vocab_size(variant),
                                             checkpoint_config.codec_eos_id(variant))
    safetensors_file.write(os.path.join(folder, "model.safetensors"), model, "BF16", variant.seed)
    codec = checkpoint_tensors.speech_tokenizer_tensors(variant)
    safetensors_file.write(os.path.join(codec_folder, "model.safetensors"), codec, "F32", variant.seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="folder to write")
    parser.add_argument("--variant", default="tiny", choices=list(VARIANTS))
    parser.add_argument("--type", default="custom_voice", choices=MODEL_TYPES, dest="model_type")
    parser.add_argument("--merges", default=MERGES, help="the real merges.txt (default: the one of the unit tests)")
    args = parser.parse_args()
    make_checkpoint(args.out, args.variant, args.model_type, args.merges)
    print(f"{args.out}: random {args.variant} {args.model_type} checkpoint")


if __name__ == "__main__":
    main()
