# SPDX-License-Identifier: Apache-2.0
"""When each stage did what: five moments for each sample, from which traces and measurements are made.

    began ── wait ── ready ── in ── computing ── compute ── computed ── out ── done

`ready`: all inputs are there. `computing`: they are bound, or copied to where the stage needs them. `computed`: the
results exist. `done`: they are where others find them, and the others know. Times are nanoseconds of one clock
(CLOCK_MONOTONIC) for all processes of a machine.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MOMENTS = ("began", "ready", "computing", "computed", "done")
PHASES = {"wait": (0, 1), "in": (1, 2), "compute": (2, 3), "out": (3, 4)}  # from which moment to which

_ROW = struct.Struct("<6q")  # the sample, then the moments
_PAGE = 4096
MOST_ROWS = 1 << 16  # of a stage's copy that are kept: the last ones


@dataclass(frozen=True)
class StageStamps:
    """What one device did for one stage: `samples` are their numbers, ascending; `moments` has five columns, in ns."""

    stage: int
    device: str
    samples: object  # int64[n]
    moments: object  # int64[n, 5]

    def phase(self, name: str):
        """Durations of "wait", "in", "compute" or "out", in ms."""
        start, finish = PHASES[name]
        return (self.moments[:, finish] - self.moments[:, start]) / 1e6

    def after(self, sample: int) -> StageStamps:
        """Those of the samples from this one on."""
        chosen = self.samples >= sample
        return StageStamps(self.stage, self.device, self.samples[chosen], self.moments[chosen])


def rows_for(samples: int | None) -> int:
    """How many rows to keep for a run of so many samples; None: not known."""
    return MOST_ROWS if samples is None else max(1, min(samples, MOST_ROWS))


def bytes_for(rows: int) -> int:
    return rows * _ROW.size


class StampWriter:
    """Writes rows into shared memory, the newest over the oldest."""

    def __init__(self, memory, offset: int, rows: int):
        self._memory, self._offset, self._rows = memory, offset, rows
        self._next = 0
        for page in range(offset, offset + bytes_for(rows), _PAGE):  # takes all its memory now, not sample by sample
            memory[page : page + 1] = b"\0"

    def write(self, sample: int, began: int, ready: int, computing: int, computed: int, done: int) -> None:
        _ROW.pack_into(self._memory, self._offset + self._next * _ROW.size,
                       sample + 1, began, ready, computing, computed, done)  # 0: nothing was written here
        self._next = (self._next + 1) % self._rows


def read_stamps(memory, offset: int, rows: int, stage: int, device: str) -> StageStamps:
    """What a writer has written so far, by sample."""
    import numpy

    table = numpy.frombuffer(memory, "<i8", rows * 6, offset).reshape(rows, 6).copy()
    table = table[table[:, 0] > 0]
    table = table[numpy.argsort(table[:, 0])]
    return StageStamps(stage, device, table[:, 0] - 1, table[:, 1:])
