# SPDX-License-Identifier: Apache-2.0
"""The moments of a run over Ray, in the form that traces and measurements are made from.

Ray moves tensors behind the stages' backs: it stores results after a stage's method has returned, and fetches arguments
before the next begins, while other work goes on. What counts is what this costs: the time in which a device stood still
although the inputs had been made (by the clock of who made them) and the device had nothing else to do. All of it is
counted as `in` of the stage that waits; `out` is 0. So in + compute is what the device needs for a sample, as the local
engine has it.

Samples of a group share the time of their message alike.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass

from partita.pipeline import Pipeline
from partita.running.stamps import MOST_ROWS, StageStamps


@dataclass(frozen=True)
class Call:
    """A stage ran a group: `moments` as StageHost.run returns them, on the driver's clock."""

    stage: int
    device: str
    group: int
    first: int
    count: int
    submitted: int  # ns, by the driver
    moments: object

    @property
    def entered(self) -> int:
        return int(self.moments[0])

    @property
    def returned(self) -> int:
        return int(self.moments[-1])


class CallLog:
    """Keeps the calls of the last samples."""

    def __init__(self, pipeline: Pipeline):
        self._pipeline = pipeline
        self._calls: deque[Call] = deque()
        self._rows = 0
        self._most = MOST_ROWS * len(pipeline.stages)

    def add(self, calls: list[Call]) -> None:
        """All calls of a group."""
        self._calls.extend(calls)
        self._rows += sum(call.count for call in calls)
        while self._rows > self._most:
            self._rows -= self._calls.popleft().count

    def compute_per_sample(self, groups: int) -> float:
        """Seconds that the busiest device computed for a sample of the stream, of the last so many groups."""
        calls = list(itertools.islice(reversed(self._calls), groups * len(self._pipeline.stages)))
        samples = sum(call.count for call in calls if call.stage == 0)
        busy: dict[str, int] = {}
        for call in calls:
            busy[call.device] = busy.get(call.device, 0) + int((call.moments[2:-1:2] - call.moments[1:-1:2]).sum())
        return max(busy.values()) / 1e9 / samples if samples else 0.0

    def stamps(self) -> list[StageStamps]:
        """What each device did for each of its stages."""
        import numpy

        returned = {(call.stage, call.group): call.returned for call in self._calls}
        sources = [{tensor.source for tensor in stage.needed_inputs} for stage in self._pipeline.stages]
        rows: dict[tuple[int, str], list] = {
            (stage.index, name): [] for stage in self._pipeline.stages for name in stage.devices}
        free: dict[str, int] = {}  # since when the device has nothing to do
        for call in sorted(self._calls, key=lambda call: call.entered):
            made = [call.submitted if source is None else returned.get((source, call.group), call.submitted)
                    for source in sources[call.stage] or {None}]
            began = min(free.get(call.device, min(made)), call.entered)
            rows[call.stage, call.device] += _rows(call, began, min(max(began, *made), call.entered), numpy)
            free[call.device] = call.returned
        made = []
        for (stage, device), table in rows.items():
            table = numpy.array(table, numpy.int64).reshape(-1, 6)
            table = table[numpy.argsort(table[:, 0])]
            made.append(StageStamps(stage, device, table[:, 0], table[:, 1:]))
        return made


def _rows(call: Call, began: int, ready: int, numpy) -> list:
    """A row for each sample: its number, then the five moments, one after the other from `ready` to the call's end."""
    computed = call.moments[2:-1:2] - call.moments[1:-1:2]
    share = (call.returned - ready - int(computed.sum())) / call.count
    done = ready + numpy.cumsum(computed + share).astype(numpy.int64)
    starts = numpy.concatenate(([ready], done[:-1]))
    return [(call.first + place, began if place == 0 else starts[place], starts[place], done[place] - computed[place],
             done[place], done[place]) for place in range(call.count)]
