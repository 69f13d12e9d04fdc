# SPDX-License-Identifier: Apache-2.0
"""How long a call takes on a device: the median of repetitions, and how far they are apart.

On a GPU the call is captured many times over into one CUDA graph, and replays of the graph are timed with events: so
launching costs nothing, as in a stage that is itself a captured graph. What cannot be captured (it waits for the GPU)
is timed launch by launch. On a CPU the clock is read around batches of calls.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from dataclasses import dataclass

from partita.errors import InputError

try:
    import resource
except ImportError:  # not on every system
    resource = None

_BATCH_SECONDS = {"cuda": 1e-3, "cpu": 5e-4}  # a batch is long against the clock's own cost
_MOST_IN_BATCH = 200
_TRIES = 3  # samples at most, for each that is wanted


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: the median, and half the distance between the quartiles."""

    seconds: float
    spread: float

    @staticmethod
    def of(samples: list[float]) -> Timing:
        if len(samples) < 2:
            return Timing(samples[0], 0.0)
        quartiles = statistics.quantiles(samples, n=4, method="inclusive")
        return Timing(quartiles[1], (quartiles[2] - quartiles[0]) / 2)


class CpuStopwatch:
    """Times calls on this thread.

    Samples in which the system took the core away are taken again. Where it always does, as in calls longer than its
    slices on a busy machine, the thread's own time on the core counts instead of the clock's, if there are no other
    threads.
    """

    def __init__(self, repetitions: int):
        self.repetitions = repetitions

    def measure(self, call) -> Timing:
        import torch

        call()  # warm-up: caches, thread pools, choice of kernels
        begin = time.perf_counter()
        call()
        once = max(time.perf_counter() - begin, 1e-7)
        count = max(1, min(_MOST_IN_BATCH, int(_BATCH_SECONDS["cpu"] / once)))
        calm, disturbed = [], []
        while len(calm) < self.repetitions and len(calm) + len(disturbed) < _TRIES * self.repetitions:
            before = _interruptions()
            wall, own = self._batch(call, count)
            if _interruptions() == before:
                calm.append(wall)
            else:
                disturbed.append(own if torch.get_num_threads() == 1 else wall)
        return Timing.of(calm if 2 * len(calm) >= self.repetitions else calm + disturbed)

    @staticmethod
    def _batch(call, count: int) -> tuple[float, float]:
        """Seconds by the clock, and on the core."""
        begin, begin_own = time.perf_counter(), time.thread_time()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count, (time.thread_time() - begin_own) / count


def _interruptions() -> int:
    """How often the system has taken the core from this thread; 0 where it does not say."""
    who = getattr(resource, "RUSAGE_THREAD", None)
    return resource.getrusage(who).ru_nivcsw if who is not None else 0


class CudaStopwatch:
    """Times calls on a GPU."""

    def __init__(self, device, repetitions: int):
        import torch

        self.device = device
        self.repetitions = repetitions
        self.stream = torch.cuda.Stream(device)
        self.not_captured = 0  # how many calls could not be

    def measure(self, call) -> Timing:
        import torch

        once = self._warm_up(call)
        count = max(1, min(_MOST_IN_BATCH, int(_BATCH_SECONDS["cuda"] / once)))
        graph = self._captured(call, count)
        if graph is None:
            self.not_captured += 1
            return Timing.of([self._between_events(lambda: [call() for _ in range(count)]) / count
                              for _ in range(self.repetitions)])
        graph.replay()
        samples = [self._between_events(graph.replay) / count for _ in range(self.repetitions)]
        torch.cuda.synchronize(self.device)
        graph.reset()
        return Timing.of(samples)

    def _captured(self, call, count: int):
        """So many calls in one CUDA graph; None for what waits for the GPU, or allocates what a graph may not.

        Without `torch.cuda.graph`, which collects garbage and empties caches each time: a second for every operator.
        """
        import torch

        torch.cuda.synchronize(self.device)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.stream(self.stream):
                graph.capture_begin()
                try:
                    for _ in range(count):
                        call()
                finally:
                    graph.capture_end()
        except RuntimeError:
            torch.cuda.synchronize(self.device)
            return None
        return graph

    def _warm_up(self, call) -> float:
        """A few calls on the stream that captures; returns the seconds of the last one."""
        import torch

        self.stream.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(self.stream):
            for _ in range(2):
                call()
            once = self._between_events(call)
        torch.cuda.current_stream(self.device).wait_stream(self.stream)
        return max(once, 1e-7)

    def _between_events(self, work) -> float:
        import torch

        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3


def stopwatch_for(device, repetitions: int):
    if device.type == "cuda":
        return CudaStopwatch(device, repetitions)
    if device.type == "cpu":
        return CpuStopwatch(repetitions)
    raise InputError(f"device: found {device}, expected cpu or cuda")


@contextlib.contextmanager
def pinned(threads: int):
    """Torch computes with so many threads, on as many cores where the system lets us choose."""
    import torch

    before = torch.get_num_threads()
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else None
    if cores is not None and threads > len(cores):
        raise InputError(f"threads: found {threads}, but this process may use {len(cores)} cores")
    try:
        if cores is not None:
            os.sched_setaffinity(0, sorted(cores)[-threads:])  # system work prefers the first cores
        torch.set_num_threads(threads)
        yield
    finally:
        torch.set_num_threads(before)
        if cores is not None:
            os.sched_setaffinity(0, cores)
