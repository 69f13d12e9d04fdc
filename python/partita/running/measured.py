# SPDX-License-Identifier: Apache-2.0
"""What a run measured, beside what the plan predicted: medians and spread per device and per stage, and the time per
sample.

The steady state is measured: the first samples, while the pipeline fills and caches warm up, are left out. The time per
sample is found for several blocks of samples one after the other; their median counts and their range is the noise. The
format of the file is in docs/running.md.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from partita.errors import InputError
from partita.json_file import Fields, read_json
from partita.pipeline import Pipeline
from partita.plan_file import PlanFile
from partita.running.stamps import StageStamps

FORMAT = "measured"
VERSION = 1
_BLOCKS = 5
_LEAST_OF_A_BLOCK = 5  # samples


@dataclass(frozen=True)
class Figure:
    """A time in ms over the samples: the median, and between which values eight in ten lie."""

    median: float
    p10: float
    p90: float
    mean: float


@dataclass(frozen=True)
class Phases:
    """Measured times of a device or stage for a sample that it takes. `load` is in + compute + out."""

    compute: Figure
    into: Figure
    out: Figure
    wait: Figure
    load: Figure


@dataclass(frozen=True)
class Predicted:
    """What the plan says of a device, in ms for a sample that it takes; `load` is per sample of the stream."""

    compute: float
    into: float
    out: float
    load: float


@dataclass(frozen=True)
class MeasuredDevice:
    name: str
    stages: tuple[int, ...]
    samples: int
    sharing: int  # so many devices take turns with its stages: each takes every so many samples
    measured: Phases
    predicted: Predicted | None
    settings: dict = field(default_factory=dict)  # cores, execution provider

    @property
    def load(self) -> float:
        """Per sample of the stream, as plans count it: the median."""
        return self.measured.load.median / self.sharing

    @property
    def error(self) -> float | None:
        """measured / predicted - 1"""
        return _error(self.load, self.predicted.load if self.predicted else None)


@dataclass(frozen=True)
class MeasuredStage:
    stage: int
    device: str
    samples: int
    measured: Phases


@dataclass(frozen=True)
class Measured:
    """A run in numbers; all times in ms."""

    model: str
    engine: str
    samples: int
    warm_up: int
    window: int
    time_per_sample: float
    low: float  # of the blocks
    high: float
    blocks: tuple[float, ...]
    predicted: float | None
    devices: tuple[MeasuredDevice, ...]
    stages: tuple[MeasuredStage, ...]
    fingerprint: str | None = None

    @property
    def error(self) -> float | None:
        """measured / predicted - 1 of the time per sample"""
        return _error(self.time_per_sample, self.predicted)

    @property
    def bottleneck(self) -> MeasuredDevice:
        """The device with the largest measured load."""
        return max(self.devices, key=lambda device: device.load)

    def to_json(self) -> dict:
        """As in measured.json."""
        return {
            "partita": {"format": FORMAT, "version": VERSION},
            "model": self.model, "fingerprint": self.fingerprint, "engine": self.engine, "unit": "ms",
            "samples": self.samples, "warm_up": self.warm_up, "window": self.window,
            "time_per_sample": {"predicted": self.predicted, "measured": self.time_per_sample, "error": self.error,
                                "low": self.low, "high": self.high, "blocks": list(self.blocks)},
            "bottleneck": self.bottleneck.name,
            "devices": [
                {"name": one.name, "stages": list(one.stages), "samples": one.samples, "sharing": one.sharing,
                 "load": one.load, "error": one.error, "measured": _with_in(asdict(one.measured)),
                 "predicted": _with_in(asdict(one.predicted)) if one.predicted else None, "settings": one.settings}
                for one in self.devices],
            "stages": [{"stage": one.stage, "device": one.device, "samples": one.samples,
                        "measured": _with_in(asdict(one.measured))} for one in self.stages]}

    def write(self, path) -> None:
        """Writes measured.json."""
        partial = f"{os.fspath(path)}.{os.getpid()}.partial"
        Path(partial).write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")
        os.replace(partial, path)

    @staticmethod
    def read(path) -> Measured:
        """Reads measured.json."""
        fields = Fields(read_json(path, FORMAT, VERSION), str(path))
        time = Fields(fields.get("time_per_sample"), f"{path}.time_per_sample")
        devices = tuple(
            MeasuredDevice(one.text("name"), tuple(one.get("stages")), one.integer("samples"), one.integer("sharing"),
                           _phases(one.get("measured")),
                           Predicted(**_without_in(one.get("predicted"))) if one.get("predicted", None) else None,
                           one.get("settings", {}))
            for one in fields.rows("devices"))
        stages = tuple(MeasuredStage(one.integer("stage"), one.text("device"), one.integer("samples"),
                                     _phases(one.get("measured"))) for one in fields.rows("stages"))
        return Measured(
            fields.text("model"),
            fields.text("engine"),
            fields.integer("samples"),
            fields.integer("warm_up"),
            fields.integer("window"),
            time.number("measured"),
            time.number("low"),
            time.number("high"),
            tuple(time.get("blocks")),
            time.get("predicted", None),
            devices,
            stages,
            fields.get("fingerprint", None),
        )

    def table(self) -> str:
        """For people."""
        from partita.running.measured_table import table

        return table(self)


def measure(pipeline: Pipeline, stamps: list[StageStamps], *, engine: str, window: int, plan: PlanFile | None = None,
            settings: dict | None = None, warm_up: int | None = None) -> Measured:
    """Of the stamps of a run. `settings`: for each device's name what is worth keeping of how it ran."""
    import numpy

    stamps = [one for one in stamps if len(one.samples)]
    if not stamps:
        raise InputError("nothing was measured: no sample has run")
    first = max(
        int(one.samples[0]) - one_of(pipeline, one) + 1 for one in stamps
    )  # that all stages still have stamps of
    last = max(int(one.samples[-1]) for one in stamps)
    there = last - max(first, 0) + 1
    skipped = min(max(2 * window, there // 10), there // 2) if warm_up is None else min(warm_up, there - 1)
    begin = max(first, 0) + skipped
    steady = [one.after(begin) for one in stamps]
    blocks = _blocks(steady, begin, last, numpy)
    devices = tuple(
        _device(name, steady, pipeline, plan, (settings or {}).get(name, {}), numpy) for name in pipeline.devices
    )
    stages = tuple(MeasuredStage(one.stage, one.device, len(one.samples), _summary([one], numpy))
                   for one in steady if len(one.samples))
    return Measured(
        model=pipeline.model, engine=engine, samples=last + 1, warm_up=begin, window=window,
        time_per_sample=float(numpy.median(blocks)), low=min(blocks), high=max(blocks), blocks=tuple(blocks),
        predicted=plan.milliseconds(plan.value) if plan else None,
        devices=tuple(device for device in devices if device), stages=stages,
        fingerprint=plan.fingerprint if plan else pipeline.fingerprint)


def one_of(pipeline: Pipeline, stamps: StageStamps) -> int:
    """A device takes every so many samples of its stage."""
    return len(pipeline.stages[stamps.stage].devices)


def _blocks(steady: list[StageStamps], begin: int, last: int, numpy) -> list[float]:
    finished = numpy.zeros(last - begin + 1, "int64")
    for one in steady:
        numpy.maximum.at(finished, one.samples - begin, one.moments[:, 4])
    finished = numpy.maximum.accumulate(finished)  # results are handed over in order
    count = len(finished) - 1
    if count == 0:  # a single sample: from its first moment to its last
        return [float(finished[0] - min(int(one.moments[0, 1]) for one in steady if len(one.samples))) / 1e6]
    blocks = max(1, min(_BLOCKS, count // _LEAST_OF_A_BLOCK))
    ends = [count * number // blocks for number in range(blocks + 1)]
    return [float(finished[b] - finished[a]) / (b - a) / 1e6 for a, b in zip(ends, ends[1:])]


def _device(name: str, steady: list[StageStamps], pipeline: Pipeline, plan: PlanFile | None, settings: dict,
            numpy) -> MeasuredDevice | None:
    own = [one for one in steady if one.device == name and len(one.samples)]
    if not own:
        return None
    predicted = None
    if plan is not None and (device := plan.device(name)) is not None:
        predicted = Predicted(
            *(plan.milliseconds(time) for time in (device.compute, device.into, device.out, device.load))
        )
    return MeasuredDevice(
        name=name, stages=tuple(one.stage for one in own), samples=len(own[0].samples),
        sharing=max(one_of(pipeline, one) for one in own), measured=_summary(own, numpy), predicted=predicted,
        settings=settings)


def _summary(own: list[StageStamps], numpy) -> Phases:
    """Of one stage, or of several of one device, whose times add up sample by sample."""
    shared = min(len(one.samples) for one in own)  # of a run that was cut off, later stages have fewer

    def figure(*names):
        times = sum(one.phase(name)[:shared] for one in own for name in names)
        low, middle, high = numpy.percentile(times, (10, 50, 90))
        return Figure(float(middle), float(low), float(high), float(numpy.mean(times)))

    return Phases(figure("compute"), figure("in"), figure("out"), figure("wait"), figure("in", "compute", "out"))


def _error(measured: float, predicted: float | None) -> float | None:
    return measured / predicted - 1 if predicted else None


def _with_in(fields: dict) -> dict:
    return {"in" if name == "into" else name: value for name, value in fields.items()}


def _without_in(fields: dict) -> dict:
    return {"into" if name == "in" else name: value for name, value in fields.items()}


def _phases(fields: dict) -> Phases:
    return Phases(**{name: Figure(**figure) for name, figure in _without_in(fields).items()})
