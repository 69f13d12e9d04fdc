# SPDX-License-Identifier: Apache-2.0
"""The split that people make by hand: as many operators for each device, in the file's order, whatever they take."""

from __future__ import annotations

from pathlib import Path

from partita.onnx.cut import Cutter
from partita.onnx.measurement import Measurement
from partita.onnx.runtime import load_model
from partita.onnx.splitting import write_stages
from partita.onnx.value_types import with_types
from partita.pipeline import Pipeline


def even_places(operators: int, devices: int) -> list[int]:
    """For each operator its stage.

    >>> even_places(5, 2)
    [0, 0, 0, 1, 1]
    """
    return [place * devices // operators if operators > devices else place for place in range(operators)]


def predicted_seconds(measurement: Measurement) -> float:
    """What the slowest stage of the even split should take, by what was measured; transfers not counted."""
    sums = [0.0] * len(measurement.devices)
    for one, stage in zip(measurement.operators, even_places(len(measurement.operators), len(sums))):
        sums[stage] += one.seconds
    return max(sums)


def even_stages(measurement: Measurement, folder) -> Pipeline:
    """The stages of the even split of the measured model, in a new folder."""
    proto = load_model(measurement.model)
    places = even_places(len(proto.graph.node), len(measurement.devices))
    count = max(places) + 1
    stages = Cutter(with_types(proto, measurement.model), [[stage] for stage in places], count).cut()
    return write_stages(
        measurement.model, proto, stages, [[name] for name in measurement.devices[:count]], Path(folder)
    )
