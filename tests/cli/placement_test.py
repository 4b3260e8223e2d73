"""Placements from outside: what doctor and the report of say tell of a part on the simulated device."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["KAZEIA_CLI"]
TINY = ["-m", "random:tiny:q8_0", "-t", "1"]
SAY = ["say", *TINY, "--seed", "42", "--greedy", "--max-frames", "4", "hello", "-o", "a.wav"]
SIMULATED = "device:HTP0=sim:hexagon"


class PlacementTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def kazeia(self, code, *arguments, env=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KZTTS_", "KAZEIA_"))}
        environment.update(env or {})
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def placed_parts(self, *arguments, env=None):
        self.kazeia(0, *SAY, "--report", "report.json", *arguments, env=env)
        report = json.loads((self.folder / "report.json").read_text())
        return {part["part"]: part for part in report["result"]["placement"]}

    def test_doctor_lists_devices_and_says_what_ran_where(self):
        machine = self.kazeia(0, "doctor").stdout
        for words in ("sim:hexagon-2026-11", "backends compiled in: CPU", "CPU reads it"):
            self.assertIn(words, machine)
        placed = self.kazeia(0, "doctor", *TINY, "--place", "codec=sim:hexagon-2026-11:strict").stdout
        for words in ("calls/frame", "sim:hexagon-2026-11:strict", "100.0 %"):
            self.assertIn(words, placed)

    def test_the_report_counts_calls_and_bytes_of_each_part(self):
        parts = self.placed_parts("--place", "codec=sim:hexagon:strict")
        self.assertEqual(parts["talker"]["device"], "cpu")
        codec = parts["codec"]
        self.assertEqual((codec["device"], codec["strict"]), ("sim:hexagon", True))
        self.assertEqual((codec["cpu_nodes"], codec["cpu_multiply_adds"], codec["refused"]), (0, 0, []))
        for figure in ("device_calls", "bytes_up", "bytes_down", "device_multiply_adds", "weight_bytes", "estimated_ms"):
            self.assertGreater(codec[figure], 0, figure)

    def test_the_first_engines_switches_run_on_a_device_of_that_name(self):
        parts = self.placed_parts("--place", SIMULATED, env={"KZTTS_DECODER_HTP": "1", "KZTTS_DECODER_SCHED": "1"})
        self.assertEqual(parts["codec"]["device"], "sim:hexagon")
        self.assertGreater(parts["codec"]["device_calls"], 0)
        parts = self.placed_parts("--place", SIMULATED, env={"KZTTS_DECODER_HTP": "1"})
        self.assertEqual(parts["codec"]["device"], "sim:hexagon:weights")
        self.assertEqual(parts["codec"]["device_calls"], 0)

    def test_unknown_devices_options_and_parts_are_named(self):
        words = self.kazeia(1, "say", *TINY, "hello", "--place", "talker=sim:hexagon:fast").stderr
        self.assertIn('found "sim:hexagon:fast"; known devices: cpu', words)
        words = self.kazeia(1, "say", *TINY, "hello", "--place", "vocoder=cpu").stderr
        self.assertIn("codec.wave", words)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
