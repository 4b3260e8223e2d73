"""When to report and when to save: reports cost compute, so they go by CPU time; saves protect against the end of the machine, so they go by the clock."""
import datetime
import time

import torch

SAVE_SECONDS = 300


class Clock:
    def __init__(self, report_cpu_seconds):
        self._every = report_cpu_seconds
        self._reported, self._saved = time.process_time(), time.time()

    def report_due(self):
        if time.process_time() - self._reported < self._every:
            return False
        self._reported = time.process_time()
        return True

    def save_due(self):
        if time.time() - self._saved < SAVE_SECONDS:
            return False
        self._saved = time.time()
        return True


class Budget:
    """How much of a run is over: of its CPU minutes, or of the time until an hour of the day ("22:30") where one is given."""

    def __init__(self, minutes, until=None):
        self._clock = time.time if until else time.process_time
        self._begun, self._seconds = self._clock(), 60 * minutes
        if until:
            end = datetime.datetime.combine(datetime.date.today(), datetime.time.fromisoformat(until)).timestamp()
            self._seconds = end - self._begun if end > self._begun else end - self._begun + 86400

    def done(self):
        return min(1.0, (self._clock() - self._begun) / self._seconds)


def save(path, state):
    """Replaces the file at once, so that a kill never leaves half of one."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.rename(path)
