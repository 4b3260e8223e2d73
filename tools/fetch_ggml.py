#!/usr/bin/env python3
"""Brings the pinned ggml source into a folder of this clone and prints where it lies.

    tools/fetch_ggml.py [--archive FILE] [--into DIR]

The pin (version, package, hash) is cmake/ggml_pin.json. The archive comes from pip, from --archive, or from the file
named by KAZEIA_GGML_ARCHIVE (offline machines, mirrors); whatever its origin, its SHA-256 must be the pinned one. Only
ggml itself and its licence are unpacked. The result appears in one rename, so a broken download never looks complete;
when it is already there this script only prints its path.
"""

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

REPO = pathlib.Path(__file__).resolve().parent.parent
PIN_FILE = REPO / "cmake" / "ggml_pin.json"
STAMP = "kazeia_stamp.json"

# pip wants a source archive's metadata even when it is only asked to download it, and would install and run the
# archive's own build system for that. This stand-in answers instead, so nothing unpinned is brought or run.
BACKEND_STUB = '''
def prepare_metadata_for_build_wheel(directory, config_settings=None):
    import os
    name = "{module}-{version}.dist-info"
    os.makedirs(os.path.join(directory, name))
    with open(os.path.join(directory, name, "METADATA"), "w") as out:
        out.write("Metadata-Version: 2.1\\nName: {package}\\nVersion: {version}\\n")
    return name
def get_requires_for_build_wheel(config_settings=None):
    return []
def build_wheel(directory, config_settings=None, metadata_directory=None):
    raise NotImplementedError("only the metadata is answered here")
'''


class FetchError(Exception):
    """A failure with its remedy, for the user."""


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def check_hash(archive, pin):
    found = sha256_of(archive)
    if found != pin["sha256"]:
        raise FetchError(
            f"{archive}: expected SHA-256 {pin['sha256']}, found {found}.\n"
            f"It must be the source archive of {pin['package']} {pin['package_version']}, unchanged."
        )


def pip_download(pin, folder):
    """Downloads the pinned source archive with pip, which checks the hash too; returns the file."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{pin['package']}=={pin['package_version']} --hash=sha256:{pin['sha256']}\n")
    stub = folder / "stub" / "scikit_build_core"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("")
    module = pin["package"].replace("-", "_")
    (stub / "build.py").write_text(
        BACKEND_STUB.format(module=module, package=pin["package"], version=pin["package_version"])
    )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--no-binary", ":all:", "--require-hashes", "--disable-pip-version-check"]
    command += ["--dest", str(folder / "download"), "--requirement", str(requirements)]
    environment = dict(os.environ, PYTHONPATH=str(stub.parent))
    # The output is kept away from stdout, which carries only the path.
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    archives = sorted((folder / "download").glob("*.tar.gz")) if (folder / "download").is_dir() else []
    if done.returncode != 0 or len(archives) != 1:
        raise FetchError(
            f"pip could not download the source archive of {pin['package']} {pin['package_version']}:\n"
            f"{done.stdout.strip()}\n"
            "Remedy: check the network and that python3-pip is installed, or bring that archive yourself and set\n"
            "KAZEIA_GGML_ARCHIVE=FILE (or configure with -DKAZEIA_GGML=system or a ggml source folder)."
        )
    return archives[0]


def unpack(archive, pin, target):
    """Extracts ggml and its licence into target, which must not exist yet."""
    root = pin["archive_root"] + "/"
    wanted = {root + "LICENSE": "LICENSE"}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            if not member.isfile():
                continue
            if member.name in wanted:
                relative = wanted[member.name]
            elif member.name.startswith(root + "ggml/"):
                relative = member.name[len(root) + len("ggml/") :]
            else:
                continue
            destination = (target / relative).resolve()
            if target.resolve() not in destination.parents:
                raise FetchError(f"{archive}: member {member.name} would leave the target folder")
            destination.parent.mkdir(parents=True, exist_ok=True)
            with tar.extractfile(member) as source, open(destination, "wb") as out:
                shutil.copyfileobj(source, out)
    version_lines = (target / "CMakeLists.txt").read_text() if (target / "CMakeLists.txt").is_file() else ""
    for name, number in zip(("MAJOR", "MINOR", "PATCH"), pin["version"].split(".")):
        if f"set(GGML_VERSION_{name} {number})" not in version_lines:
            raise FetchError(f"{archive}: it does not hold ggml {pin['version']}, which cmake/ggml_pin.json names")
    (target / STAMP).write_text(json.dumps(pin, sort_keys=True) + "\n")


def is_complete(target, pin):
    stamp = target / STAMP
    return stamp.is_file() and json.loads(stamp.read_text()) == pin


def fetch(pin, into, archive):
    target = into / f"ggml-{pin['version']}"
    if is_complete(target, pin):
        return target
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into, prefix=".incoming-") as name:
        folder = pathlib.Path(name)
        if archive is None:
            archive = pip_download(pin, folder)
        elif not archive.is_file():
            raise FetchError(f"{archive}: no such file (named by --archive or KAZEIA_GGML_ARCHIVE)")
        check_hash(archive, pin)
        unpack(archive, pin, folder / "ggml")
        if target.exists():  # another pin's leftovers under the same version
            target.rename(folder / "old")
        try:
            (folder / "ggml").rename(target)
        except OSError:
            if not is_complete(target, pin):  # else: another run of this script was faster
                raise
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archive", type=pathlib.Path, default=os.environ.get("KAZEIA_GGML_ARCHIVE") or None)
    parser.add_argument("--into", type=pathlib.Path, default=REPO / ".deps")
    options = parser.parse_args()
    try:
        print(fetch(json.loads(PIN_FILE.read_text()), options.into, options.archive))
    except (FetchError, OSError, tarfile.TarError) as error:
        print(f"fetch_ggml: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
