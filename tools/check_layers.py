#!/usr/bin/env python3
"""Checks the rules of the tree: who may include whom, file and function sizes, where printing may happen.

    tools/check_layers.py [ROOT]      prints each violation as FILE:LINE: RULE and exits 1 if there is one

The include table is the one of docs/architecture.md. A folder not named in it may not exist under src/.
"""

import os
import pathlib
import re
import sys

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60

# Layer -> what its files may include: a layer, or one header of a layer. Its own files are always allowed.
MAY_INCLUDE = {
    "base": ["include/kazeia/result.h"],  # Result and Error are part of the public interface
    "flow": ["base"],
    "kernels": ["base"],
    "formats": ["base"],
    # Of formats, the layers below the stages see how a tensor is found and typed, and the plain structs of the config.
    "compute": ["base", "formats/tensor_source.h", "formats/dtype.h"],
    "nn": ["compute", "kernels", "base", "formats/tensor_source.h", "formats/dtype.h", "formats/model_config.h"],
    "sampling": ["compute", "kernels", "base", "formats/tensor_source.h", "formats/dtype.h", "formats/model_config.h"],
    # src/stages/*.h, the code embeddings: the one thing that two stages share.
    "stages": ["flow", "nn", "sampling", "compute", "formats", "base"],
    "stages/*": ["stages", "flow", "nn", "sampling", "compute", "formats", "base"],
    "engine": ["*"],
    "include": ["include"],
    "bindings": ["include/kazeia/kazeia.h"],
    "bindings/c": ["include/kazeia/kazeia.h", "include/kazeia/engine.h"],
    # base and flow hold no logic: they are the types in which engine.h and stages/audio speak.
    "apps": ["include/kazeia/engine.h", "stages/audio", "formats/atomic_file.h", "base", "flow"],
    "tests": ["*"],
    "bench": ["kernels", "base"],
}

# Commands that look inside a model or a device: start of the file's name -> what they may include beside that.
VIEW_INSIDE = {
    "bench": ["compute", "formats"],
    "convert": ["compute", "formats"],
    "doctor": ["compute", "formats", "kernels"],
    "inspect": ["compute", "formats"],
    "tokenize": ["stages/text", "formats"],  # works on a folder that has only the tokenizer's files, so on no engine
}

# Libraries that stay in one place: include pattern -> path prefixes where it may appear.
CONFINED = [
    (
        re.compile(r"^(ggml|gguf)[a-z-]*\.h$"),
        ["src/compute/", "src/nn/", "src/sampling/", "tests/device/"],
    ),
    (re.compile(r"^CLI/"), ["apps/"]),
    (re.compile(r"^gtest/|^gmock/"), ["tests/"]),
]

# The library speaks through return values and the log callback, and reads no environment variable.
NOT_IN_THE_LIBRARY = re.compile(
    r"\bstd::(cout|cerr|clog|print|println)\b|\b(stdout|stderr|getenv|secure_getenv|putenv|setenv)\b"
    r"|(?<![\w:])(std::)?(printf|vprintf|puts|putchar|perror)\s*\("
)

CODE_FOLDERS = ("src", "include", "bindings", "apps", "tests", "bench")
LIBRARY_FOLDERS = ("src", "include", "bindings")
SIZED_FOLDERS = CODE_FOLDERS + ("tools", "cmake")
CODE_SUFFIXES = {".h", ".hpp", ".cpp", ".c"}
SIZED_SUFFIXES = CODE_SUFFIXES | {".py", ".cmake", ".kt", ".sh"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S
)
NOT_A_FUNCTION = re.compile(r'(inline )?namespace\b|struct\b|class\b|enum\b|union\b|extern "|.*=\s*\{$')


def is_generated(path):
    return "_generated." in path.name


def layer_of(path):
    """The row of MAY_INCLUDE for a path relative to the root ("src/nn/conv.cpp" -> "nn"), and its layer's name."""
    parts = path.parts
    if parts[0] == "src":
        if len(parts) == 2:
            return None
        if parts[1] == "stages":
            return "stages" if len(parts) == 3 else f"stages/{parts[2]}"
        return parts[1]
    if parts[0] == "bindings":
        return "bindings/c" if parts[1] == "c" else "bindings"
    return parts[0]


def resolve(root, path, name):
    """The file an include names, relative to the root; None if it is not ours."""
    for folder in ("src", "include", "apps", "tests", str(path.parent)):
        if (root / folder / name).is_file():
            return pathlib.Path(os.path.normpath(f"{folder}/{name}"))
    return None


def rule_for(path, layer):
    rule = MAY_INCLUDE.get(layer)
    if rule is None and layer.startswith("stages/"):
        rule = MAY_INCLUDE["stages/*"]
    if layer == "apps":
        rule = rule + [allowed for name in VIEW_INSIDE if path.stem.startswith(name) for allowed in VIEW_INSIDE[name]]
    return rule


def include_problem(root, path, name):
    """Why the file at path may not include name, or None."""
    for pattern, places in CONFINED:
        if pattern.search(name) and not path.as_posix().startswith(tuple(places)):
            return f"{name} may be included only in {', '.join(places)}"
    target = resolve(root, path, name)
    if target is None:
        return None
    source_layer, target_layer = layer_of(path), layer_of(target)
    if source_layer == target_layer:
        return None
    rule = rule_for(path, source_layer)
    if rule is None:
        return f"{source_layer} is not a layer of docs/architecture.md"
    shown = target.as_posix().removeprefix("src/")
    if "*" in rule or target_layer in rule or shown in rule:
        return None
    return f"{source_layer} may not include {shown}; it may include {', '.join(rule) or 'std only'}"


def blank_comments_and_strings(text):
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)


def function_problems(lines):
    """Functions at namespace scope that are too long; with our formatting they start and end in column 0."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            opens = line.endswith("{") and line[:1] not in (" ", "}", "#", "/")
            if opens and not NOT_A_FUNCTION.match(line):
                start = number
        elif line.startswith("}"):
            if number - start + 1 > MAX_FUNCTION_LINES:
                yield start, f"function of {number - start + 1} lines; at most {MAX_FUNCTION_LINES}"
            start = None


def code_problems(root, path, text):
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            problem = include_problem(root, path, match.group(2))
            if problem:
                yield number, problem
    guarded = "#pragma once" in text or path.name == "kazeia.h" or "_inl." in path.name
    if path.suffix in (".h", ".hpp") and not guarded:
        yield 1, "header without #pragma once"
    if path.parts[0] in LIBRARY_FOLDERS:
        for number, line in enumerate(blank_comments_and_strings(text).splitlines(), 1):
            match = NOT_IN_THE_LIBRARY.search(line)
            if match:
                yield number, f"{match.group().rstrip('( ')} belongs to apps/ (log through base/log.h, return a Result)"
        for number, line in enumerate(lines, 1):
            if not line.isascii():
                yield number, "sources are ASCII; write \\u escapes in strings and plain letters in comments"
    if path.parts[0] != "tests":
        yield from function_problems(lines)


def problems(root):
    """All violations under root as (path, line, text)."""
    for folder in SIZED_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if not file.is_file() or file.suffix not in SIZED_SUFFIXES or "__pycache__" in file.parts:
                continue
            path = file.relative_to(root)
            text = file.read_text(encoding="utf-8", errors="surrogateescape")
            found = []
            if path.parts[0] in CODE_FOLDERS and path.suffix in CODE_SUFFIXES and not is_generated(path):
                found += code_problems(root, path, text)
            num_lines = len(text.splitlines())
            if num_lines > MAX_FILE_LINES and not is_generated(path):
                found.append((num_lines, f"file of {num_lines} lines; at most {MAX_FILE_LINES}, split it by meaning"))
            for number, problem in found:
                yield path, number, problem


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(problems(root))
    for path, number, problem in found:
        print(f"{path.as_posix()}:{number}: {problem}")
    print(f"check_layers: {len(found)} violations" if found else "check_layers: the tree keeps its rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
