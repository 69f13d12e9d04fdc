#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the engine ray costs per sample and stage on one machine: stages that compute next to nothing pass on tensors of
1 MB.

usage: ray_overhead.py [--stages 2] [--samples 400] [--megabytes 1] [--groups 1,auto]

Every sample is another one, so that inputs go through the object store too. `excess` is the time per sample without
what the slowest stage computes: what a pipeline of busy stages would wait for. `each` divides the whole time per sample
by the stages: where there are fewer cores than processes (stages, this program, Ray's own) they take turns, and this is
the number to look at.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("python", "tests/python", "tests/write")]

from models import Model, cut, helper
from onnx import TensorProto
from partita.pipeline import Pipeline
from partita.running.feeds import Feeds
from partita.running.measured import measure
from partita.running.ray_engine import RayEngine


def negations(stages: int, floats: int) -> Model:
    """A chain of operators that only read and write memory."""
    names = ["x", *(f"h{stage}" for stage in range(stages))]
    nodes = [helper.make_node("Neg", [before], [after], after) for before, after in zip(names, names[1:])]
    return Model(nodes, ["x"], names[-1:], {name: (TensorProto.FLOAT, [floats]) for name in names}, {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stages", type=int, default=2)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--groups", default="1,auto", help="samples in a message, for one run each")
    options = parser.parse_args()
    model = negations(options.stages, int(options.megabytes * (1 << 20) / 4))
    numbers = numpy.random.default_rng(0)
    pool = [{"x": numbers.standard_normal(model.types["x"][1][0]).astype("float32")} for _ in range(16)]
    sign = (-1) ** options.stages
    print(f"{options.stages} stages, {options.megabytes:g} MB, {options.samples} samples; times in ms per sample")
    print("group  time per sample  computed by the slowest  excess  each")
    for group in options.groups.split(","):
        with tempfile.TemporaryDirectory() as folder:
            pipeline = Pipeline.read(cut(model, folder, [[node.name] for node in model.nodes]))
            feeds = Feeds(pipeline, (pool[number % len(pool)] for number in range(options.samples)))
            chosen = {} if group == "auto" else {"group": int(group)}
            with RayEngine(pipeline, None, feeds, oversubscribe=True, **chosen) as engine:
                for number, outputs in enumerate(engine.stream()):
                    if number == options.samples // 4:
                        began = time.perf_counter()
                    if not numpy.array_equal(outputs[model.outputs[0]], sign * pool[number % len(pool)]["x"]):
                        raise SystemExit(f"sample {number} has come back wrong")
                spent = 1000 * (time.perf_counter() - began) / (options.samples - 1 - options.samples // 4)
                measured = measure(pipeline, engine.stamps(), engine="ray", window=engine.window)
        computed = max(stage.measured.compute.mean for stage in measured.stages)
        print(f"{group:>5}  {spent:15.3f}  {computed:23.3f}  {spent - computed:6.3f}  {spent / options.stages:4.3f}")


if __name__ == "__main__":
    main()
