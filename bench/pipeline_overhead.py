#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the local engine itself costs: for each sample and stage, beside what ONNX Runtime takes.

usage: pipeline_overhead.py [--stages 2] [--bytes 1048576] [--samples 3000] [--window N]

Stages of one operator (Neg) hand a tensor of so many bytes on. Two ways to see the overhead, neither of which counts
waiting:

  in + out     medians of the stages' own stamps: binding the inputs, and telling the readers
  processor    time that a stage's process used for a sample, less what the same session uses for it alone in a loop,
               on as many buffers in turn as samples are in flight; that another core wrote the tensor, and caches are
               cold, is in it

The second does not depend on what else the machine does. Needs numpy, onnx and onnxruntime.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("python", "tests/python", "tests/write")]

import numpy as np
from models import Model, cut, helper
from onnx import TensorProto

from partita.pipeline import Pipeline
from partita.running.devices import place_devices
from partita.running.feeds import Feeds, random_sample
from partita.running.local import LocalEngine, default_window
from partita.running.session import StageSession


def identity_like(stages, size):
    """x -> Neg -> ... -> y, each node a stage."""
    names = ["x", *(f"h{k}" for k in range(stages - 1)), "y"]
    nodes = [helper.make_node("Neg", [a], [b], f"neg{k}") for k, (a, b) in enumerate(zip(names, names[1:]))]
    return Model(nodes, ["x"], ["y"], {name: (TensorProto.FLOAT, [1, size // 4]) for name in names}, {})


def alone(file, feed, runs, buffers):
    """Processor time of a run of the session by itself, in us."""
    session = StageSession(file)
    bound = [session.bind({session.inputs[0].name: feed.copy()}, {session.outputs[0].name: np.zeros_like(feed)})
             for _ in range(buffers)]
    for number in range(runs // 10):
        bound[number % buffers].run()
    began = time.process_time_ns()
    for number in range(runs):
        bound[number % buffers].run()
    return (time.process_time_ns() - began) / runs / 1000


def processor_time(pid):
    """Of all threads of a process, in us."""
    return (
        sum(int(Path(task, "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1000
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stages", type=int, default=2)
    parser.add_argument("--bytes", type=int, default=1 << 20)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--window", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as above:
        groups = [[f"neg{k}"] for k in range(options.stages)]
        pipeline = Pipeline.read(cut(identity_like(options.stages, options.bytes), Path(above, "stages"), groups))
        window = options.window or default_window(pipeline)
        sample = random_sample(pipeline)["x"]
        hot, single = (alone(pipeline.stages[0].file, sample, options.samples, buffers) for buffers in (1, window))
        feeds = Feeds(pipeline, samples=options.samples)
        with LocalEngine(pipeline, place_devices(pipeline.devices, oversubscribe=True), feeds, window=window) as engine:
            before = {name: processor_time(pid) for name, pid in engine.pids().items()}
            own, began = time.process_time(), time.monotonic()
            for _ in engine.stream(keep_outputs=False):
                pass
            elapsed, own = time.monotonic() - began, time.process_time() - own
            stamps = engine.stamps()
            used = {name: (processor_time(pid) - before[name]) / options.samples for name, pid in engine.pids().items()}
    print(
        f"{options.stages} stages, tensors of {options.bytes} bytes, {options.samples} samples on "
        f"{len(os.sched_getaffinity(0))} cores; us per sample"
    )
    print(f"session alone            {single:8.1f} of processor time on {window} buffers in turn, {hot:.1f} on one")
    for one in stamps:
        into, compute, out = (1000 * float(np.median(one.phase(name))) for name in ("in", "compute", "out"))
        print(
            f"{one.device:<10} in + out      {into + out:8.1f}   compute {compute:8.1f}   "
            f"processor {used[one.device]:8.1f}, {used[one.device] - single:+.1f} to the session alone"
        )
    print(f"feeding and collecting   {own / options.samples * 1e6:8.1f} of processor time")
    print(f"time per sample          {elapsed / options.samples * 1e6:8.1f}")


if __name__ == "__main__":
    main()
