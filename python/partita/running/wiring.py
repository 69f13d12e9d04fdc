# SPDX-License-Identifier: Apache-2.0
"""Who tells whom that a sample is there: event counters (eventfd) between processes.

A stage may run a sample when all stages that it reads from have. Where one of these waits for another of them anyway,
its word is enough: only the edges of the transitive reduction have counters. The feeder (FEEDER) comes before all
stages, and what collects the results (COLLECTOR) after all.

A stage that several devices run in turns has a counter for each of them: sample s is made by the copy at s modulo
their number, so counting says which samples are there, although copies overtake each other.
"""

from __future__ import annotations

import os

from partita.pipeline import Pipeline
from partita.running.rings import FEEDER

COLLECTOR = "collector"


def edges_of(pipeline: Pipeline) -> list[tuple]:
    """Pairs (maker, reader) that need a counter."""
    last = len(pipeline.stages)
    before = {stage.index: {_maker(tensor) for tensor in stage.inputs} or {FEEDER} for stage in pipeline.stages}
    read = {maker for makers in before.values() for maker in makers}
    before[last] = {_maker(tensor) for tensor in pipeline.outputs}
    before[last] |= {stage.index for stage in pipeline.stages if stage.index not in read}  # all must be through
    reached: dict[int, set[int]] = {FEEDER: set()}  # all that come before, directly or not
    for index in range(last + 1):
        reached[index] = set(before[index]).union(*(reached[maker] for maker in before[index]))
    return [(maker, COLLECTOR if index == last else index)
            for index in range(last + 1) for maker in sorted(before[index])
            if not any(maker in reached[other] for other in before[index] if other != maker)]


def _maker(tensor) -> int:
    return FEEDER if tensor.source is None else tensor.source


class Wiring:
    """The counters of a pipeline. `waits(reader, copy)` and `posts(maker, copy)` list, for each edge, the file
    descriptors by the other side's copy; None where two copies never meet."""

    def __init__(self, pipeline: Pipeline, never_blocks):
        """`never_blocks(reader, copy)`: whether the reader looks at several counters at once, and polls."""
        self._copies = {FEEDER: 1, COLLECTOR: 1} | {stage.index: len(stage.devices) for stage in pipeline.stages}
        self._edges = edges_of(pipeline)
        self._counters: dict[tuple, int] = {}
        try:
            for maker, reader in self._edges:
                makers, readers = self._copies[maker], self._copies[reader]
                for sample in range(makers * readers):
                    key = (maker, sample % makers, reader, sample % readers)
                    if key not in self._counters:
                        flags = os.EFD_CLOEXEC | (os.EFD_NONBLOCK if never_blocks(reader, sample % readers) else 0)
                        self._counters[key] = os.eventfd(0, flags)
        except BaseException:
            self.close()
            raise

    def waits(self, reader, copy: int) -> list[list[int | None]]:
        return [[self._counters.get((maker, other, reader, copy)) for other in range(self._copies[maker])]
                for maker, to in self._edges if to == reader]

    def posts(self, maker, copy: int) -> list[list[int | None]]:
        return [[self._counters.get((maker, copy, reader, other)) for other in range(self._copies[reader])]
                for source, reader in self._edges if source == maker]

    def close(self) -> None:
        for descriptor in self._counters.values():
            os.close(descriptor)
        self._counters.clear()


class Arrivals:
    """Counts what has arrived on the counters of one reader: it either waits for its next sample, or polls several
    readers' counters at once, absorbs those that have something, and takes what is there. (A counter that is read only
    when its turn comes would wake the poll again and again.)"""

    def __init__(self, waits: list[list[int | None]]):
        self.descriptors = [one for edge in waits for one in edge if one is not None]
        self._edges = [(edge, len(edge)) for edge in waits]
        self._counts = dict.fromkeys(self.descriptors, 0)

    def wait(self, sample: int) -> None:
        """Until the sample is there; for counters that block."""
        counts = self._counts
        for edge, copies in self._edges:
            descriptor = edge[sample % copies]
            if not counts[descriptor]:
                counts[descriptor] = os.eventfd_read(descriptor)
            counts[descriptor] -= 1

    def absorb(self, descriptor: int) -> None:
        """Takes in what a counter has, which the poll has shown to be something."""
        self._counts[descriptor] += os.eventfd_read(descriptor)

    def take(self, sample: int) -> bool:
        """Whether the sample is there, by what was absorbed; if so it counts as taken."""
        needed = [edge[sample % copies] for edge, copies in self._edges]
        if not all(self._counts[descriptor] for descriptor in needed):
            return False
        for descriptor in needed:
            self._counts[descriptor] -= 1
        return True


class Posts:
    """Tells the readers of one maker."""

    def __init__(self, posts: list[list[int | None]]):
        self._edges = [(edge, len(edge)) for edge in posts]

    def tell(self, sample: int) -> None:
        for edge, copies in self._edges:
            os.eventfd_write(edge[sample % copies], 1)
