# SPDX-License-Identifier: Apache-2.0
"""What passing tensors from device to device costs here, measured with the engine that runs plans.

Pipelines whose stages do next to nothing (each negates what it is given) run on the devices, with tensors of several
sizes and numbers. Their stages take longer than the same sessions do on their own, again and again on the same memory:
inputs come from another core's cache or from memory, outputs go to a slot that was used a while ago, and the others
must be told. That difference is

    overhead of a stage + 2 x (tensors x latency + bytes / bandwidth)

as a stage in the middle has each tensor once on its way in and once on its way out. The three figures are fitted to it.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from partita.onnx.inputs import Feeds
from partita.onnx.measurement import Link
from partita.onnx.runtime import onnx_package
from partita.onnx.statistics import center
from partita.onnx.workers import Workers
from partita.pipeline import FILE_NAME, VERSION

CASES = ((1, 4 << 10), (8, 4 << 10), (1, 256 << 10), (1, 2 << 20))  # tensors, bytes of each
_SAMPLES = 150
_FASTEST = 1e11  # bytes per second: where copies cost less than the clock tells
_FLOAT = 4


def measure_link(devices: list, samples: int = _SAMPLES) -> Link:
    """The link between neighbours of these devices, with all of them busy passing tensors on."""
    with tempfile.TemporaryDirectory(prefix="partita-link-") as folder, Workers(devices[-1:]) as workers:
        rows = [(count, size, _extra(Path(folder), devices, workers, count, size, samples)) for count, size in CASES]
    return fit(rows)


def fit(rows: list[tuple[int, int, float]]) -> Link:
    """Least squares, relative to what was measured; nothing is negative. Rows: tensors, bytes of each, seconds.

    >>> link = fit([(1, 4096, 20.8e-6), (8, 4096, 40.6e-6), (1, 1 << 20, 229.7e-6)])
    >>> round(link.latency * 1e6, 1), round(link.stage_overhead * 1e6), round(link.bandwidth / 1e9)
    (1.0, 18, 10)
    """
    import numpy

    table = numpy.array([[1.0, 2.0 * count, 2.0 * count * size * 1e-6] for count, size, _ in rows])
    seconds = numpy.array([max(row[2], 0.0) for row in rows])
    weight = 1 / (seconds + 5e-6)
    free = list(range(3))
    while True:  # columns whose figure would be negative are left out
        found = numpy.zeros(3)
        found[free] = numpy.linalg.lstsq(table[:, free] * weight[:, None], seconds * weight, rcond=None)[0]
        negative = [column for column in free if found[column] < 0]
        if not negative:
            break
        free.remove(min(negative, key=lambda column: found[column]))
    missed = float(numpy.median(numpy.abs(table @ found - seconds)))
    slope = found[2] * 1e-6
    return Link(
        latency=float(found[1]),
        bandwidth=float(min(_FASTEST, 1 / slope) if slope > 0 else _FASTEST),
        stage_overhead=float(found[0]),
        spread=missed,
    )


def _extra(folder: Path, devices: list, workers: Workers, count: int, size: int, samples: int) -> float:
    """Seconds that a stage of the pipeline takes beyond its session alone, per sample."""
    from partita.running import run

    stages = write_passing(folder / f"{count}x{size}", [device.name for device in devices], count, size)
    measured = run(stages, devices=devices, samples=samples, keep_outputs=False).measured
    slowest = max(device.load for device in measured.devices)
    between = max(0.0, measured.time_per_sample - slowest)  # what the engine does between two samples
    taken = 1e-3 * (sorted(device.load for device in measured.devices)[len(measured.devices) // 2] + between)
    arrays = Feeds({name: _zeros(size) for name in (f"t0_{i}" for i in range(count))})
    arrays.save(stages / "feeds.npz")
    request = {"model": str(stages / "stage_0.onnx"), "feeds": str(stages / "feeds.npz"), "profile": None}
    workers.ask_all([{"do": "load", "sessions": [request]}])
    alone = workers.run({"do": "run", "turns": 5, "runs": max(1, samples // 5), "warmup": 5}, 1)[0][0]["seconds"]
    return taken - center(alone).seconds


def _zeros(size: int):
    import numpy

    return numpy.zeros(size // _FLOAT, numpy.float32)


def write_passing(folder: Path, devices: list[str], count: int, size: int) -> Path:
    """Stages that negate `count` tensors of `size` bytes and pass them on."""
    onnx = onnx_package("measuring transfers")
    helper, extent = onnx.helper, size // _FLOAT
    folder.mkdir()

    def tensors(stage):
        return [f"t{stage}_{i}" for i in range(count)]

    def entries(stage, **more):
        return [{"name": name, "dtype": "fp32", "shape": [extent], "bytes": size, **more} for name in tensors(stage)]

    def infos(stage):
        return [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [extent]) for name in tensors(stage)]

    rows = []
    for stage, device in enumerate(devices):
        nodes = [helper.make_node("Neg", [a], [b]) for a, b in zip(tensors(stage), tensors(stage + 1))]
        graph = helper.make_graph(nodes, "passing", infos(stage), infos(stage + 1))
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), folder / f"stage_{stage}.onnx")
        source = {"stage": stage - 1} if stage else "input"
        rows.append(
            {
                "stage": stage,
                "device": device,
                "file": f"stage_{stage}.onnx",
                "inputs": entries(stage, **{"from": source}),
                "outputs": entries(stage + 1),
            }
        )
    last = len(devices)
    document = {
        "partita": {"format": "pipeline", "version": VERSION},
        "model": "passing",
        "chain": True,
        "inputs": entries(0),
        "outputs": entries(last, **{"from": {"stage": last - 1}}),
        "stages": rows,
    }
    (folder / FILE_NAME).write_text(json.dumps(document), encoding="utf-8")
    return folder
