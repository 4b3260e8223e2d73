#!/usr/bin/env python3
"""Writes the Unicode tables of the tokenizer: src/stages/text/*_generated.cpp.

    pip install unicodedataplus==16.0.0.post1
    python3 tools/make_unicode_tables.py

Two Unicode versions on purpose, because the official tokenizer (PyPI `tokenizers` 0.23.3) has two:
its regular expressions know Unicode 16.0, its NFC knows Unicode 9.0 (a character younger than that
neither composes nor is reordered). tools/make_tokenizer_table.py --check-tables compares both with it.
"""
import pathlib
import sys

import unicodedataplus as ucd

CLASS_VERSION = "16.0.0"
NFC_VERSION = (9, 0)
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "stages" / "text"
CODEPOINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # composed and decomposed by arithmetic, not by table
LINE_WIDTH = 118


def known_to_nfc(c):
    age = ucd.age(chr(c))
    return age not in ("NA", "Unassigned", None, "") and tuple(map(int, age.split("."))) <= NFC_VERSION


def ranges_of(values):
    """{codepoint: value} -> sorted [first, last, value] with equal neighbours joined."""
    out = []
    for c in sorted(values):
        if out and out[-1][1] == c - 1 and out[-1][2] == values[c]:
            out[-1][1] = c
        else:
            out.append([c, c, values[c]])
    return out


def rows(items):
    """Items packed into lines of at most LINE_WIDTH characters."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) > LINE_WIDTH:
            lines.append(line)
            line = ""
        line += item if line else "    " + item
    return "\n".join(lines + [line])


def array(kind, name, items):
    return f"constexpr {kind} {name}[] = {{\n{rows(items)}\n}};\n"


def write(name, first_line, body, doors):
    text = (f"// {first_line}\n// Written by tools/make_unicode_tables.py; do not edit.\n"
            '#include "stages/text/unicode_tables.h"\n\nnamespace kazeia {\nnamespace {\n\n// clang-format off\n'
            f"{body}// clang-format on\n\n}}  // namespace\n\n{doors}\n}}  // namespace kazeia\n")
    (FOLDER / name).write_text(text)
    print(f"{name}: {len(text)} bytes, {text.count(chr(10))} lines")


def write_classes():
    def class_ranges(letter):
        found = {c: 0 for c in CODEPOINTS if ucd.category(chr(c))[0] == letter}
        return [f"{{0x{a:x},0x{b:x}}}," for a, b, _ in ranges_of(found)]

    body = array("CodepointRange", "kLetters", class_ranges("L")) + "\n"
    body += array("CodepointRange", "kNumbers", class_ranges("N"))
    doors = ("std::span<const CodepointRange> letter_ranges() { return kLetters; }\n"
             "std::span<const CodepointRange> number_ranges() { return kNumbers; }\n")
    write("unicode_classes_generated.cpp", f"Letters and numbers of Unicode {CLASS_VERSION}.", body, doors)


def write_nfc():
    known = [c for c in CODEPOINTS if c not in HANGUL_SYLLABLES and known_to_nfc(c)]
    decompositions = []  # (codepoint, first, second or 0, composes back)
    for c in known:
        parts = ucd.decomposition(chr(c))
        if not parts or parts.startswith("<"):
            continue
        first, *second = [int(part, 16) for part in parts.split()]
        decompositions.append((c, first, second[0] if second else 0, ucd.normalize("NFC", chr(c)) == chr(c)))
    pairs = sorted((first, second, i) for i, (_, first, second, composes) in enumerate(decompositions) if composes)

    combining = {c: ucd.combining(chr(c)) for c in known if ucd.combining(chr(c))}
    # Inert = never changes and never joins what stands before it.
    not_inert = set(combining) | {c for c, _, _, composes in decompositions if not composes}
    not_inert |= {second for _, second, _ in pairs}
    not_inert |= set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))  # Hangul vowels and final consonants

    version = ".".join(map(str, NFC_VERSION))
    items = [f"{{0x{c:x},0x{a:x}" + (f",0x{b:x}" if b else "") + "}," for c, a, b, _ in decompositions]
    write("decompositions_generated.cpp", f"Canonical decompositions of Unicode {version}, one step each.",
          array("Decomposition", "kDecompositions", items),
          "std::span<const Decomposition> decompositions() { return kDecompositions; }\n")

    body = array("uint16_t", "kCompositions", [f"{i}," for _, _, i in pairs]) + "\n"
    body += array("CombiningRange", "kCombining", [f"{{0x{a:x},0x{b:x},{v}}}," for a, b, v in ranges_of(combining)]) + "\n"
    body += array("CodepointRange", "kNotInert", [f"{{0x{a:x},0x{b:x}}}," for a, b, _ in ranges_of({c: 0 for c in not_inert})])
    doors = ("std::span<const uint16_t> compositions() { return kCompositions; }\n"
             "std::span<const CombiningRange> combining_ranges() { return kCombining; }\n"
             "std::span<const CodepointRange> not_inert_ranges() { return kNotInert; }\n")
    write("nfc_generated.cpp", f"What NFC needs beside the decompositions, of Unicode {version}.", body, doors)


if __name__ == "__main__":
    if ucd.unidata_version != CLASS_VERSION:
        sys.exit(f"unicodedataplus: expected Unicode {CLASS_VERSION}, found {ucd.unidata_version}")
    write_classes()
    write_nfc()
