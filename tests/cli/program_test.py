"""The program from outside: exit codes, files that appear or don't, messages that name the thing.

Runs $KAZEIA_CLI on random tiny models; standard library only.
"""

import array
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import wave

PROGRAM = os.environ["KAZEIA_CLI"]
TINY = ["-m", "random:tiny:f32", "-t", "1"]
SHORT = ["--max-frames", "5", "--seed", "42"]


def kazeia(*arguments, folder=None, stdin=b"", env=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KZTTS_", "KAZEIA_"))}
    environment.update(env or {})
    return subprocess.run(
        [PROGRAM, *arguments], cwd=folder, input=stdin, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300
    )


def write_npy(path, rows, descr="<i4", code="i"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    values = array.array(code, [value for row in rows for value in row])
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values.tobytes())


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_ok(self, *arguments, **options):
        done = kazeia(*arguments, folder=self.folder, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done

    def run_failing(self, code, *arguments, **options):
        done = kazeia(*arguments, folder=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stderr.decode()

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())


class Usage(ProgramTest):
    def test_help_shows_units_and_examples(self):
        self.assertIn("Examples:", self.run_ok("--help").stdout.decode())
        for command in ("say", "decode", "trace", "tokenize", "convert", "inspect", "bench", "voices", "doctor"):
            self.assertIn("kazeia " + command, self.run_ok(command, "--help").stdout.decode())
        self.assertRegex(self.run_ok("--version").stdout.decode(), r"^kazeia \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_with_2_and_names_the_option(self):
        self.assertIn("--loud", self.run_failing(2, "say", "x", "--loud"))
        self.assertIn("kazeia say --help", self.run_failing(2, "say"))
        self.assertIn("unknown command 'shout'", self.run_failing(2, "shout"))
        self.run_failing(2)


class Say(ProgramTest):
    def test_the_default_output_is_a_wav_in_this_folder(self):
        done = self.run_ok("say", *TINY, *SHORT, "hello")
        self.assertEqual(self.files(), ["kazeia.wav"])
        with wave.open(str(self.folder / "kazeia.wav")) as file:
            self.assertEqual((file.getnchannels(), file.getsampwidth()), (1, 2))
            self.assertGreater(file.getnframes(), 0)
        last = done.stderr.decode().splitlines()[-1]
        self.assertRegex(last, r"^[\d.]+ s of audio, RTF [\d.]+, finish: \w+, seed 42, first audio after \d+ ms -> kazeia\.wav$")

    def test_a_cut_at_the_limit_is_warned_about(self):
        done = self.run_ok("say", *TINY, "--max-frames", "2", "--seed", "1", "--greedy", "hello")
        self.assertIn("finish: length", done.stderr.decode())
        self.assertIn("warning: stopped at the limit of 2 frames", done.stderr.decode())

    def test_equal_calls_give_equal_bytes_and_another_seed_others(self):
        for name in ("a.wav", "b.wav"):
            self.run_ok("say", *TINY, *SHORT, "hello", "-o", name)
        self.run_ok("say", *TINY, "--max-frames", "5", "--seed", "43", "hello", "-o", "c.wav")
        data = [(self.folder / name).read_bytes() for name in ("a.wav", "b.wav", "c.wav")]
        self.assertEqual(data[0], data[1])
        self.assertNotEqual(data[0], data[2])

    def test_every_format_by_its_extension(self):
        magic = {"a.wav": b"RIFF", "a.flac": b"fLaC", "a.ogg": b"OggS", "a.opus": b"OggS"}
        for name, start in magic.items():
            self.run_ok("say", *TINY, *SHORT, "hello", "-o", name)
            self.assertTrue((self.folder / name).read_bytes().startswith(start), name)
        self.run_ok("say", *TINY, *SHORT, "hello", "-o", "a.mp3")
        self.assertGreater((self.folder / "a.mp3").stat().st_size, 100)

    def test_standard_output_gets_the_samples_of_the_wav(self):
        self.run_ok("say", *TINY, *SHORT, "hello", "-o", "a.wav")
        with wave.open(str(self.folder / "a.wav")) as file:
            samples = file.readframes(file.getnframes())
        raw = self.run_ok("say", *TINY, *SHORT, "hello", "-o", "-").stdout
        self.assertEqual(raw, samples)
        streamed = self.run_ok("say", *TINY, *SHORT, "hello", "--wav", "-o", "-").stdout
        self.assertEqual(streamed[:8], b"RIFF\xff\xff\xff\xff")
        self.assertEqual(streamed[44:], samples)
        as_float = self.run_ok("say", *TINY, *SHORT, "hello", "--float", "-o", "-").stdout
        self.assertEqual(len(as_float), 2 * len(samples))

    def test_text_comes_from_arguments_file_or_standard_input(self):
        (self.folder / "text.txt").write_text("hello there\n")
        outputs = [
            self.run_ok("say", *TINY, *SHORT, "hello there", "-o", "-").stdout,
            self.run_ok("say", *TINY, *SHORT, "hello", "there", "-o", "-").stdout,
            self.run_ok("say", *TINY, *SHORT, "-f", "text.txt", "-o", "-").stdout,
            self.run_ok("say", *TINY, *SHORT, "-", "-o", "-", stdin=b"hello there\n").stdout,
        ]
        self.assertEqual(len(set(outputs)), 1)

    def test_text_without_speech_gives_an_empty_file_and_says_so(self):
        for text in ("", "  ", "...!"):
            done = self.run_ok("say", *TINY, "-o", "a.wav", "--", text)
            self.assertIn("finish: empty", done.stderr.decode())
            with wave.open(str(self.folder / "a.wav")) as file:
                self.assertEqual(file.getnframes(), 0)

    def test_any_bytes_are_a_text(self):
        self.run_ok("say", *TINY, *SHORT, "-", "-o", "a.wav", stdin=b"caf\xff\xe9 \xf0\x9f <|im_end|>")

    def test_max_seconds_limits_the_audio(self):
        done = self.run_ok("say", *TINY, "--seed", "1", "--greedy", "--max-seconds", "0.3", "hello", "--report", "r.json")
        report = json.loads((self.folder / "r.json").read_text())
        frame_s = report["model"]["samples_per_frame"] / report["model"]["sample_rate_hz"]
        self.assertLess(abs(report["result"]["audio_seconds"] - 0.3), frame_s, done.stderr)

    def test_the_report_holds_settings_and_figures(self):
        self.run_ok("say", *TINY, *SHORT, "--top-k", "7", "h\u00e9llo", "--report", "r.json", "--codes", "c.npy")
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(report["settings"]["text"], "h\u00e9llo")
        self.assertEqual(report["settings"]["talker"]["top_k"], 7)
        self.assertIsNone(report["settings"]["talker"]["temperature"])
        self.assertEqual(report["result"]["seed"], 42)
        self.assertEqual(report["result"]["num_frames"], len(report["codes"]))
        self.assertEqual(report["model"]["num_code_groups"], len(report["codes"][0]))
        self.assertIn("codec_wave", report["result"]["times_ms"])

    def test_the_model_may_come_from_the_environment(self):
        done = self.run_ok("say", *SHORT, "-t", "1", "hello", env={"KAZEIA_MODEL": "random:tiny:f32"})
        self.assertIn("$KAZEIA_MODEL", done.stderr.decode())

    def test_without_any_model_the_program_says_where_it_looked(self):
        program = self.folder / "bin" / "kazeia"
        program.parent.mkdir()
        shutil.copy(PROGRAM, program)
        done = subprocess.run([program, "say", "hello"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(self.folder / "share/kazeia/models/kazeia-voice.gguf"), done.stderr.decode())
        self.assertIn("kazeia convert CHECKPOINT", done.stderr.decode())
        self.assertEqual(self.files(), ["bin"])

    def test_wrong_outputs_fail_before_the_work_and_leave_no_file(self):
        (self.folder / "folder.wav").mkdir()
        for output, words in {
            "a.aac": "found '.aac'",
            "a": "no extension",
            "folder.wav": "is a folder",
            "none/a.wav": "does not exist",
            "a.mp3/": "is a folder",
        }.items():
            self.assertIn(words, self.run_failing(1, "say", *TINY, *SHORT, "hello", "-o", output))
        self.assertIn("none/r.json", self.run_failing(1, "say", *TINY, *SHORT, "hello", "--report", "none/r.json"))
        self.assertEqual(self.files(), ["folder.wav"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_an_unwritable_folder_fails(self):
        (self.folder / "locked").mkdir(mode=0o555)
        self.assertIn("can't write", self.run_failing(1, "say", *TINY, *SHORT, "hello", "-o", "locked/a.wav"))

    def test_a_full_disk_fails_with_the_reason(self):
        self.assertIn("No space left", self.run_failing(1, "say", *TINY, *SHORT, "hello", "--raw", "-o", "/dev/full"))

    def test_wrong_models_voices_and_places_are_named(self):
        self.assertIn("none.gguf", self.run_failing(1, "say", "-m", "none.gguf", "hello"))
        (self.folder / "bad.gguf").write_bytes(b"no model")
        self.assertIn("bad.gguf", self.run_failing(1, "say", "-m", "bad.gguf", "hello"))
        self.assertIn("huge", self.run_failing(1, "say", "-m", "random:huge:f32", "hello"))
        self.assertIn("nobody", self.run_failing(1, "say", *TINY, "-v", "nobody", "hello"))
        self.assertIn("klingon", self.run_failing(1, "say", *TINY, "-l", "klingon", "hello"))
        self.assertIn("HTP0", self.run_failing(1, "say", *TINY, "--place", "codec=HTP0", "hello"))
        self.assertEqual(self.files(), ["bad.gguf"])

    def test_the_first_engines_switches_say_what_they_map_to(self):
        words = self.run_failing(1, "say", *TINY, "hello", env={"KZTTS_DECODER_HTP": "1", "KZTTS_DECODER_SCHED": "1"})
        self.assertIn('maps to --place "codec=HTP0"', words)
        done = self.run_ok("say", *TINY, *SHORT, "hello", env={"KZTTS_DECODER_PROFILE": "1"})
        self.assertIn("pre_transformer", done.stderr.decode())

    def test_ctrl_c_ends_cleanly_and_leaves_no_file(self):
        command = [PROGRAM, "say", *TINY, "--greedy", "--max-frames", "1000000", "--silence-limit", "0", "hello", "-o", "a.wav"]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while not self.files() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)  # until the file under its temporary name is there
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=120)
        self.assertEqual(process.returncode, -signal.SIGINT, words.decode())
        self.assertIn("no file was written", words.decode())
        self.assertEqual(self.files(), [])


class OtherCommands(ProgramTest):
    def test_decode_gives_the_audio_of_say(self):
        self.run_ok("say", *TINY, *SHORT, "hello", "-o", "a.wav", "--codes", "c.npy")
        self.run_ok("decode", "c.npy", *TINY, "-o", "b.wav")
        self.assertEqual((self.folder / "a.wav").read_bytes(), (self.folder / "b.wav").read_bytes())

    def test_decode_refuses_wrong_codes(self):
        (self.folder / "text.npy").write_text("no array")
        self.assertIn("text.npy", self.run_failing(1, "decode", "text.npy", *TINY, "-o", "a.wav"))
        self.assertIn("none.npy", self.run_failing(1, "decode", "none.npy", *TINY, "-o", "a.wav"))
        write_npy(self.folder / "wide.npy", [[1] * 99])
        self.assertIn("[1, 99]", self.run_failing(1, "decode", "wide.npy", *TINY, "-o", "a.wav"))
        write_npy(self.folder / "large.npy", [[1, 2, 3, 1 << 40]], "<i8", "q")
        self.assertIn("large.npy", self.run_failing(1, "decode", "large.npy", *TINY, "-o", "a.wav"))
        write_npy(self.folder / "outside.npy", [[1, 2, 3, 70000]])
        self.assertIn("70000", self.run_failing(1, "decode", "outside.npy", *TINY, "-o", "a.wav"))
        write_npy(self.folder / "floats.npy", [[1.0] * 4], "<f4", "f")
        self.assertIn("float32", self.run_failing(1, "decode", "floats.npy", *TINY, "-o", "a.wav"))
        self.assertNotIn("a.wav", self.files())

    def test_trace_writes_four_arrays(self):
        write_npy(self.folder / "c.npy", [[1, 2, 3, 4], [5, 6, 7, 8]])
        self.run_ok("trace", *TINY, "--text", "hello", "--codes", "c.npy", "-o", "out/deep")
        names = sorted(path.name for path in (self.folder / "out/deep").iterdir())
        self.assertEqual(names, ["cp_logits.npy", "pcm.npy", "prompt_ids.npy", "talker_logits.npy"])
        header = (self.folder / "out/deep/cp_logits.npy").read_bytes()[:128].replace(b" ", b"")
        self.assertIn(b"'shape':(2,3,512", header)

    def test_tokenize_prints_ids(self):
        self.assertRegex(self.run_ok("tokenize", "-m", "random:tiny:f32", "hello").stdout.decode(), r"^\d+( \d+)*\n$")
        lines = self.run_ok("tokenize", "-m", "random:tiny:f32", "--tokens", "-", stdin=b"h\xc3\xa9").stdout.decode()
        self.assertIn('"h"', lines)
        self.assertIn("\\xc3", lines)

    def test_voices_inspect_and_doctor_describe_a_model(self):
        self.assertIn("languages: auto", self.run_ok("voices", *TINY).stdout.decode())
        inspected = self.run_ok("inspect", "random:tiny:f32", "--tensors").stdout.decode()
        self.assertIn("codec.wave.conv_out.weight", inspected)
        self.assertIn("talker", inspected)
        self.assertIn("processor", self.run_ok("doctor").stdout.decode())
        self.assertIn("works", self.run_ok("doctor", *TINY).stdout.decode())
        self.assertIn("none.gguf", self.run_failing(1, "doctor", "-m", "none.gguf"))

    def test_bench_measures_as_text_and_as_json(self):
        self.assertIn("code_predictor", self.run_ok("bench", *TINY, "--frames", "3").stdout.decode())
        figures = json.loads(self.run_ok("bench", *TINY, "--frames", "3", "--json").stdout)
        self.assertEqual(figures["num_frames"], 3)
        self.assertGreater(figures["peaks"]["read_gb_per_s"], 0)
        self.assertGreater(figures["stages"]["codec"]["ms_per_frame"], 0)
        self.assertGreater(figures["stages"]["wave"]["multiply_adds_per_frame"], 0)
        longer = self.run_ok("bench", *TINY, "--frames", "3", "--json", "--text", "A text of very many words. " * 9)
        self.assertGreater(json.loads(longer.stdout)["prompt_rows"], figures["prompt_rows"])

    def test_convert_makes_one_file_that_speaks(self):
        checkpoint = str(pathlib.Path(__file__).parents[1] / "golden/data/checkpoints/tiny")
        for name in ("a.gguf", "b.gguf"):
            self.run_ok("convert", checkpoint, "-o", name, "--type", "q8_0")
        self.assertEqual((self.folder / "a.gguf").read_bytes(), (self.folder / "b.gguf").read_bytes())
        self.run_ok("say", "-m", "a.gguf", "-t", "1", *SHORT, "Bonjour Kazeia", "-o", "a.wav")
        self.assertIn("q8_0", self.run_ok("inspect", "a.gguf").stdout.decode())
        self.assertEqual(self.files(), ["a.gguf", "a.wav", "b.gguf"])

    def test_tokenize_needs_only_the_tokenizer_files(self):
        checkpoint = pathlib.Path(__file__).parents[1] / "golden/data/checkpoints/tiny"
        for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
            (self.folder / name).write_bytes((checkpoint / name).read_bytes())
        ids = [self.run_ok("tokenize", "-m", model, "Bonjour").stdout for model in (".", str(checkpoint))]
        self.assertEqual(ids[0], ids[1])

    def test_convert_refuses_what_is_no_checkpoint(self):
        self.assertIn("none", self.run_failing(1, "convert", "none", "-o", "m.gguf"))
        (self.folder / "empty").mkdir()
        self.assertIn("config.json", self.run_failing(1, "convert", "empty", "-o", "m.gguf"))
        self.assertIn("does not exist", self.run_failing(1, "convert", "empty", "-o", "nowhere/m.gguf"))
        self.assertEqual(self.files(), ["empty"])


if __name__ == "__main__":
    unittest.main()
