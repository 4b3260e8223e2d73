"""Whether the default voice behaves: ends by itself, keeps its level, starts and stops promptly, streams what it says.

  behaviour_test.py [--count N] [--out FOLDER]     N of the 200 sentences of behaviour.txt, evenly chosen
"""

import argparse
import collections
import math
import pathlib
import tempfile

import bars
import speak

HERE = pathlib.Path(__file__).parent
WINDOW = speak.RATE // 50
SILENT = 10 ** (-50 / 20)


def rms(samples):
    return math.sqrt(sum(s * s for s in samples) / len(samples)) if samples else 0.0


def dbfs(value):
    return 20 * math.log10(max(value, 1e-9))


def silence_ms(samples):
    """Of the start: 20 ms windows below -50 dBFS."""
    count = 0
    while (count + 1) * WINDOW <= len(samples) and rms(samples[count * WINDOW:(count + 1) * WINDOW]) < SILENT:
        count += 1
    return 20 * count


def streams_what_it_decodes(text, language, seed):
    """The bytes that leave while the voice speaks are those of its codes, decoded afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        codes = pathlib.Path(folder) / "codes.npy"
        streamed, _ = speak.say(text, language, seed, codes)
        return streamed == speak.run("decode", codes, "-m", speak.model(), "-o", "-")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--out", type=pathlib.Path, default=speak.ROOT / "build" / "voice")
    options = parser.parse_args()
    speak.model()
    chosen = speak.spread(list(enumerate(speak.lines(HERE / "behaviour.txt"))), options.count)
    report = speak.Report(options.out / f"behaviour-{len(chosen)}.txt")

    reasons, energy, total, peak, start, end = collections.Counter(), 0.0, 0, 0.0, 0, 0
    report.line("finish   seconds  peak   dBFS  silence at the ends (ms)  sentence")
    for seed, line in chosen:
        language, text = line.split("\t")
        data, result = speak.say(text, language, seed)
        samples = speak.samples_of(data)
        loudest = max(map(abs, samples), default=0.0)
        before, after = silence_ms(samples), silence_ms(samples[::-1])
        reasons[result["finish_reason"]] += 1
        energy, total = energy + sum(s * s for s in samples), total + len(samples)
        peak, start, end = max(peak, loudest), max(start, before), max(end, after)
        report.line(f"{result['finish_reason']:8} {len(samples) / speak.RATE:7.2f}  {loudest:.3f} {dbfs(rms(samples)):6.1f}  {before:5} {after:5}  {language} {text}")

    report.line()
    ended = reasons["eos"] / len(chosen)
    report.check(ended >= bars.ENDS_BY_ITSELF, f"{reasons['eos']} of {len(chosen)} ended by themselves (bar {bars.ENDS_BY_ITSELF:.0%}); {dict(reasons)}")
    report.check(peak < bars.PEAK, f"loudest sample {peak:.3f} (bar {bars.PEAK})")
    level = dbfs(math.sqrt(energy / max(total, 1)))
    report.check(bars.LEVEL_DBFS[0] <= level <= bars.LEVEL_DBFS[1], f"level {level:.1f} dBFS (bar {bars.LEVEL_DBFS[0]} to {bars.LEVEL_DBFS[1]})")
    report.check(max(start, end) <= bars.END_SILENCE_MS, f"longest silence at the start {start} ms, at the end {end} ms (bar {bars.END_SILENCE_MS})")
    streams = all(streams_what_it_decodes(line.split("\t")[1], line.split("\t")[0], seed) for seed, line in speak.spread(chosen, 5))
    report.check(streams, "streamed bytes are the bytes of the codes decoded at once")
    report.finish()


if __name__ == "__main__":
    main()
