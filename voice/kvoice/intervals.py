"""When to report and when to save: reports cost compute, so they go by CPU time; saves protect against the end of the machine, so they go by the clock."""
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


def save(path, state):
    """Replaces the file at once, so that a kill never leaves half of one."""
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.rename(path)
