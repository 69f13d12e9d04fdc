# SPDX-License-Identifier: Apache-2.0
"""A process that times models on cores of its own: `python -m partita.onnx.timing_worker DEVICE`, as `workers.py`
starts it; DEVICE is JSON: cores, provider, provider_options.

It reads one JSON object a line from its standard input and answers each with one on its standard output; when its input
ends, it ends. Whoever measures devices that are busy at the same time lets all of them run until the slowest has what
it needs: a worker goes on running after it has answered, until it is told to stop.

    {"do": "load", "sessions": [{"model": ..., "feeds": ..., "profile": null}]}
    {"do": "run", "turns": 4, "runs": 5, "warmup": 3}    turn by turn: so many runs of each session, the first not
    counted {"do": "stop"}                                       end running; answers how often it ran meanwhile
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time

import numpy

from partita.dtypes import numpy_dtype
from partita.onnx.inputs import Feeds
from partita.running.session import StageSession, pin_to


class Timed:
    """A session with its inputs, and which of its runs count."""

    def __init__(self, request: dict, device: dict):
        self.session = StageSession(request["model"], **device, profile_prefix=request["profile"])
        self.profiled = request["profile"] is not None
        self.bound = self.session.bind(Feeds.read(request["feeds"]).arrays, made_by(self.session))
        self.runs = 0
        self.seconds: list[float] = []
        self.counted: list[int] = []  # numbers of the runs that they are of

    def run(self, counts: bool) -> None:
        start = time.perf_counter()
        self.bound.run()
        if counts:
            self.seconds.append(time.perf_counter() - start)
            self.counted.append(self.runs)
        self.runs += 1

    def result(self) -> dict:
        return {
            "seconds": self.seconds,
            "counted": self.counted,
            "profile": self.session.session.end_profiling() if self.profiled else None,
        }


def made_by(session: StageSession) -> dict:
    """Memory for the outputs, as stages of a pipeline have it, where shapes are known before."""
    known = (t for t in session.outputs if t.dtype and t.shape and all(isinstance(extent, int) for extent in t.shape))
    return {tensor.name: numpy.zeros(tensor.shape, numpy_dtype(tensor.dtype)) for tensor in known}


class Worker:
    def __init__(self, lines: queue.Queue, device: dict):
        self.lines = lines
        self.device = device
        self.sessions: list[Timed] = []

    def load(self, request: dict) -> dict:
        self.sessions = []  # the old ones go first, as two models may not fit
        self.sessions = [Timed(one, self.device) for one in request["sessions"]]
        return {"loaded": len(self.sessions)}

    def run(self, request: dict) -> dict:
        for timed in self.sessions:
            for _ in range(request["warmup"]):
                timed.run(counts=False)
        for _ in range(request["turns"]):
            for timed in self.sessions:
                # The first run of a turn finds the caches full of another session's weights.
                for number in range(request["runs"] + 1):
                    timed.run(counts=number > 0)
        tell({"results": [timed.result() for timed in self.sessions]})
        extra = 0
        while self.lines.empty():
            self.sessions[0].run(counts=False)
            extra += 1
        expected = self.lines.get()
        if expected is None:
            sys.exit(0)
        return {"ran": extra}


def tell(answer: dict) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def read_lines(lines: queue.Queue) -> None:
    for line in sys.stdin:
        lines.put(json.loads(line))
    lines.put(None)


def main() -> None:
    device = json.loads(sys.argv[1])
    if device["cores"]:
        pin_to(device["cores"])
    lines: queue.Queue = queue.Queue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    worker = Worker(lines, device)
    while (request := lines.get()) is not None:
        try:
            tell(getattr(worker, request["do"])(request))
        except Exception as error:  # whatever it is, the caller is who can tell it
            first = (str(error).strip().splitlines() or [""])[0]
            tell({"error": f"{type(error).__name__}: {first}"})


if __name__ == "__main__":
    main()
