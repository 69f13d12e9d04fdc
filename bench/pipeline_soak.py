#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs very many samples through a pipeline: every result must be the right one, in its place, and memory must stay
flat.

usage: pipeline_soak.py [--samples 100000] [--stages 4] [--width 64] [--engine local|ray] [--kill]

The inputs are 997 different ones in turn, so a sample that is lost, doubled or out of order shows as a wrong result;
results are compared in every bit with the whole model's. Resident memory of all processes is looked at after a tenth
of the samples, and must not grow by more than 2 % (at least 2 MiB; over Ray
16 MiB, as its driver keeps stamps and connections) until the end. Needs numpy, onnx and onnxruntime;
Linux.

With --kill, the processes of all stages are ended by SIGKILL in the middle, one after the other, while samples go
on: the engine ray must still deliver every result once. Memory is then looked at in the feeder only.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("python", "tests/python", "tests/write")]

from models import chain, chain_groups, cut, samples

from partita.pipeline import Pipeline
from partita.running.devices import place_devices
from partita.running.feeds import Feeds
from partita.running.measured import measure
from partita.running.runs import engine_class

DIFFERENT = 997


def resident(pid):
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def started(engine, pipeline, feeds):
    """The engine, on cores that stages may have to share."""
    if engine == "ray":
        return engine_class("ray")(pipeline, None, feeds, oversubscribe=True)
    devices = place_devices(pipeline.devices, oversubscribe=True)
    return engine_class("local")(pipeline, devices, feeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--stages", type=int, default=4)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--kill", action="store_true", help="end each stage's process once (engine ray)")
    options = parser.parse_args()
    model = chain(layers=options.stages, width=options.width)
    feeds = samples(model, DIFFERENT)
    expected = [model.expected(feed)["y"].tobytes() for feed in feeds]
    assert len(set(expected)) == DIFFERENT
    looks = {options.samples * tenth // 10 for tenth in range(1, 11)}
    kills = {options.samples * (3 + stage) // (7 + options.stages): f"core {stage}" for stage in range(options.stages)}
    memory = []
    wrong = 0
    with tempfile.TemporaryDirectory() as above:
        pipeline = Pipeline.read(cut(model, Path(above, "stages"), chain_groups(options.stages, options.stages)))
        stream = Feeds(pipeline, (feeds[number % DIFFERENT] for number in range(options.samples)))
        with started(options.engine, pipeline, stream) as engine:
            pids = {"feeder": os.getpid(), **({} if options.kill else engine.pids())}
            began = time.monotonic()
            number = -1
            for number, made in enumerate(engine.stream()):
                wrong += made["y"].tobytes() != expected[number % DIFFERENT]
                if number + 1 in looks:
                    memory.append({name: resident(pid) for name, pid in pids.items()})
                if options.kill and number in kills:
                    os.kill(engine.pids()[kills[number]], signal.SIGKILL)
            elapsed = time.monotonic() - began
            stamps = engine.stamps()
            measured = measure(pipeline, stamps, engine=engine.name, window=engine.window, settings=engine.settings())
    print(measured.table())
    print(f"{number + 1} samples through {options.stages} stages in {elapsed:.1f} s; wrong or out of order: {wrong}")
    grown = False
    allowed = 16 if options.engine == "ray" else 2  # MiB
    for name in pids:
        sizes = [look[name] / 2**20 for look in memory]
        more = sizes[-1] - sizes[0]
        grown |= more > max(allowed, 0.02 * sizes[0])
        print(
            f"{name:<8} {sizes[0]:7.1f} MiB after a tenth, {max(sizes):7.1f} at most, {sizes[-1]:7.1f} at the end "
            f"({more:+.1f})"
        )
    failed = wrong or grown or number + 1 != options.samples
    print("failed" if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
