# SPDX-License-Identifier: Apache-2.0
"""Splits models with `partita split`, has every stage checked by onnx.checker, runs the stages one after the other in ONNX Runtime
and compares the outputs with the whole model's, bit for bit.

usage: stages_run_alike.py random COUNT | files MODEL... | testdata FOLDER

Needs onnx, onnxruntime and numpy; PARTITA names the program. `testdata` are models with inputs, as the ONNX project has them
(libonnx-testdata): those of three nodes and more that ONNX Runtime runs are split along drawn plans.

Prints a line for each model, and what went wrong; exits with 1 if anything did."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import random_models
from stages_in_turn import difference, run_stages, run_whole, session

PARTITA = os.environ.get("PARTITA", "partita")
ILLEGAL = 11


def run(*arguments, codes=(0,)):
    done = subprocess.run([PARTITA, *arguments], capture_output=True, timeout=300, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{arguments}: exit code {done.returncode}: {done.stderr.decode()}")
    return done


def passes_full_check(path):
    """onnx's own inference of shapes does not take every model that its checker takes: sparse weights."""
    onnx.checker.check_model(path)
    try:
        onnx.checker.check_model(path, full_check=True)
        return True
    except onnx.shape_inference.InferenceError:
        return False


def check_files(folder, full_check):
    """onnx.checker refuses weights that have a second name, so they are copied first."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if os.stat(path).st_nlink > 1:
                shutil.copy(path, path + ".copy")
                os.replace(path + ".copy", path)
    with open(os.path.join(folder, "pipeline.json"), encoding="utf-8") as file:
        pipeline = json.load(file)
    for name in {stage["file"] for stage in pipeline["stages"]}:
        onnx.checker.check_model(os.path.join(folder, name), full_check=full_check)


class Splits:
    def __init__(self, path, feeds, work, model_options=()):
        self.path, self.feeds, self.work = path, feeds, work
        self.model_options = model_options  # how the model is read, wherever it is
        self.full_check = passes_full_check(path)
        self.expected = run_whole(path, feeds)
        self.faults = []
        self.count = 0
        self.stages = 0

    def check(self, plan, label, *options):
        out = os.path.join(tempfile.mkdtemp(dir=self.work), "stages")
        done = run("split", self.path, plan, "-o", out, *self.model_options, *options, codes=(0, ILLEGAL))
        if done.returncode == ILLEGAL:
            return False
        self.count += 1
        try:
            if "--annotate" in options:
                found = run_whole(os.path.join(out, os.path.basename(self.path)), self.feeds)
                check_stages_noted(os.path.join(out, os.path.basename(self.path)))
            else:
                found = run_stages(out, self.feeds)
            fault = difference(self.expected, found)
            check_files(out, self.full_check)
        except Exception as error:  # any is a fault of the split
            fault = f"{type(error).__name__}: {error}"
        with open(os.path.join(out, "pipeline.json"), encoding="utf-8") as file:
            self.stages += len(json.load(file)["stages"])
        if fault:
            self.faults.append(f"{self.path} {label} {' '.join(options)}: {fault}")
        else:
            shutil.rmtree(out)
        return True


def check_stages_noted(path):
    model = onnx.load(path, load_external_data=False)
    assert model.ir_version >= 11 and any(c.name == "partita" for c in model.configuration)
    noted = [n for n in model.graph.node if any(c.configuration_id == "partita" for c in n.device_configurations)]
    assert noted, "no node names its stage"


def planned(splits, devices, shape, *options):
    plan = os.path.join(splits.work, "plan.json")
    platform = f"{devices}xa100"
    run("plan", splits.path, *splits.model_options, "--platform", platform, "--shape", shape, "--time-limit", "2", "-q", "-o", plan)
    if not splits.check(plan, f"{shape} {devices}", *options):
        raise AssertionError(f"{splits.path}: its own plan is refused")


def drawn_order(rng, workload):
    """Nodes so that every edge goes forward, each time another of those that could be next."""
    readers, waiting = {}, {node["id"]: 0 for node in workload["nodes"]}
    for edge in workload["edges"]:
        readers.setdefault(edge["sourceId"], []).append(edge["destId"])
        waiting[edge["destId"]] += 1
    ready, order = [node for node in waiting if waiting[node] == 0], []
    while ready:
        node = ready.pop(rng.randrange(len(ready)) if rng.random() < 0.5 else -1)
        order.append(node)
        for reader in readers.get(node, []):
            waiting[reader] -= 1
            if waiting[reader] == 0:
                ready.append(reader)
    return order


def drawn_plan(rng, workload, devices, shape, path):
    """Nodes of a colour share a device; a staged plan cuts an order of the nodes into rows."""
    order = drawn_order(rng, workload)
    colour_of = {node["id"]: node.get("colorClass") for node in workload["nodes"]}
    place, colours = {}, {}
    cuts = sorted(rng.sample(range(1, len(order)), min(devices - 1, len(order) - 1)))
    for i, node in enumerate(order):
        device = sum(i >= cut for cut in cuts) if shape == "staged" else rng.randrange(devices)
        colour = colour_of[node]
        place[node] = device if colour is None else colours.setdefault(colour, device)
    listed = [{"kind": "accelerator", "index": d, "stage": None, "nodes": [n for n in place if place[n] == d]} for d in range(devices)]
    if shape == "staged":
        for stage, device in enumerate(d for d in listed if d["nodes"]):
            device["stage"] = stage
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"partita": {"format": "plan", "version": 1}, "objective": "max-load", "shape": shape, "devices": listed}, file)


def drawn(splits, rng, devices, shape, *options):
    """False: no legal one was drawn."""
    platform = f"{devices}xa100"
    workload = json.loads(run("convert", splits.path, *splits.model_options, "--platform", platform, "--to", "workload").stdout)
    plan = os.path.join(splits.work, "plan.json")
    for _ in range(20):
        drawn_plan(rng, workload, devices, shape, plan)
        if splits.check(plan, f"drawn {shape} {devices}", "--platform", platform, *options):
            return True
    return False


def random_split_options(rng):
    options = rng.choice([[], ["--chain"], ["--copy-weights"], ["--chain", "--copy-weights"], ["--annotate"], []])
    return options


def random_model(seed, work):
    rng = random.Random(seed)
    path, feeds = random_models.write_model(seed, os.path.join(work, f"model{seed}"), blocks=rng.randint(8, 40))
    # With sizes, most of the shapes' arithmetic is computed in advance, and no plan knows of it.
    is_open = any(isinstance(extent, str) for value in session(path).get_inputs() for extent in value.shape)
    sizes = ["--dim", f"batch={random_models.BATCH}"] if is_open and rng.random() < 0.5 else []
    splits = Splits(path, feeds, work, sizes)
    planned(splits, rng.choice([2, 3, 4]), rng.choice(["staged", "free"]), *random_split_options(rng))
    for shape in ("staged", "free", "free"):
        drawn(splits, rng, rng.choice([2, 3, 5]), shape, *random_split_options(rng))
    return splits


def feeds_of(path):
    one, rng, feeds = session(path), np.random.default_rng(1), {}
    for value in one.get_inputs():
        shape = [extent if isinstance(extent, int) else 2 for extent in value.shape]
        feeds[value.name] = rng.integers(0, 100, shape) if value.type == "tensor(int64)" else rng.standard_normal(shape).astype(np.float32)
    return feeds


def file_model(path, work):
    splits = Splits(path, feeds_of(path), work)
    rng = random.Random(1)
    for devices in (2, 3, 4, 6):
        for shape in ("staged", "free"):
            planned(splits, devices, shape)
        if not drawn(splits, rng, devices, "free"):
            splits.faults.append(f"{path}: no free split was drawn")
        drawn(splits, rng, devices, "staged", "--chain")
    planned(splits, 3, "staged", "--annotate")
    return splits


def test_model(path, work):
    """None: too small, or ONNX Runtime does not run it."""
    model = onnx.load(path)
    if len(model.graph.node) < 3:
        return None
    stored = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    try:
        for i, value in enumerate(v for v in model.graph.input if v.name not in stored):
            feeds[value.name] = onnx.numpy_helper.to_array(
                onnx.load_tensor(os.path.join(os.path.dirname(path), "test_data_set_0", f"input_{i}.pb")))
        splits = Splits(path, feeds, work)
    except Exception:  # newer or older than what is installed
        return None
    rng = random.Random(1)
    for devices, shape in ((2, "free"), (3, "free"), (2, "staged")):
        drawn(splits, rng, devices, shape, *rng.choice([[], ["--chain"]]))
    return splits


def main():
    faults = []
    with tempfile.TemporaryDirectory(prefix="partita-split-") as work:
        if sys.argv[1] == "random":
            first = int(os.environ.get("PARTITA_SPLIT_SEED", "1"))
            jobs = [(f"seed {seed}", random_model, seed) for seed in range(first, first + int(sys.argv[2]))]
        elif sys.argv[1] == "testdata":
            paths = sorted(os.path.join(root, name) for root, _, names in os.walk(sys.argv[2]) for name in names if name.endswith(".onnx"))
            jobs = [(os.path.relpath(path, sys.argv[2]), test_model, path) for path in paths]
        else:
            jobs = [(os.path.basename(path), file_model, path) for path in sys.argv[2:]]
        for label, job, argument in jobs:
            splits = job(argument, work)
            if splits is None:
                continue
            faults += splits.faults
            print(f"{label}: {splits.count - len(splits.faults)} splits, {splits.stages} stages", flush=True)
    for fault in faults:
        print(f"FAULT: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
