"""Where training keeps its data: everything lives below $KAZEIA_VOICE_DIR, nothing in the repository."""
import os
from pathlib import Path


def root() -> Path:
    folder = os.environ.get("KAZEIA_VOICE_DIR")
    if not folder:
        raise SystemExit("set KAZEIA_VOICE_DIR to a folder with about 10 GB of free space")
    return Path(folder)


def sub(name: str) -> Path:
    """A folder below the root, made if it is missing."""
    folder = root() / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
