# SPDX-License-Identifier: Apache-2.0
"""From a model to a pipeline that runs as predicted: measure, plan, cut, run; and again with what was seen.

result = profile_plan_and_run("model.onnx", devices=2, samples=200, recalibrate=2, tell=print)
print(result.measured.time_per_sample, "ms per sample,", result.measured.predicted, "predicted")
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from partita.errors import InputError
from partita.onnx.measurement import Measurement
from partita.onnx.planning_seam import plan_measured
from partita.onnx.profiling import find_devices, profile
from partita.onnx.splitting import split
from partita.pipeline import Pipeline
from partita.plan_file import PlanFile
from partita.running.even import even_stages, predicted_seconds
from partita.running.measured import Measured
from partita.running.recalibrate import holds, noise_of, recalibrated, repriced
from partita.running.runs import RunResult, run

_DEFAULT_DEVICES = 2
_TURNS = 3  # in which two splits are compared


@dataclass(frozen=True)
class Compared:
    """Two splits run turn by turn: times per sample in ms, of each turn."""

    planned: tuple[float, ...]
    even: tuple[float, ...]

    @property
    def faster_by(self) -> float:
        """How many times as long the even split takes: medians."""
        return _median(self.even) / _median(self.planned)

    @property
    def noise(self) -> float:
        """The part by which turns of the same split differ: half of the larger range."""
        return max((max(times) - min(times)) / 2 / _median(times) for times in (self.planned, self.even))


@dataclass(frozen=True)
class WholeResult(RunResult):
    """The run of the best plan, and how it was found."""

    measurement: Measurement | None = field(default=None, repr=False)
    rounds: tuple[Measured, ...] = ()
    compared: Compared | None = None

    def __repr__(self) -> str:
        lines = [super().__repr__()]
        if self.compared:
            lines.append(
                f"the even split takes {_median(self.compared.even):.4g} ms, {self.compared.faster_by:.2f} x as long "
                f"(turns differ by {100 * self.compared.noise:.0f} %)"
            )
        return "\n".join(lines)


def profile_plan_and_run(
    model,
    inputs=None,
    *,
    devices=None,
    samples: int | None = None,
    plan=None,
    recalibrate: int = 0,
    against_even: bool = False,
    measurement: Measurement | None = None,
    folder=None,
    tell: Callable | None = None,
    trace=None,
    dims: dict | None = None,
    cores_per_device: int = 1,
    oversubscribe: bool = False,
    optimize: bool = False,
    keep_outputs: bool = True,
    time_limit: float = 20.0,
    repetitions: int = 25,
    **options,
) -> WholeResult:
    """Measures a model on `devices` (2 without a word), plans it, runs it, and compares.

    `recalibrate`: so many times at most, what was seen is fed back and the model planned again, until the prediction
    holds within 5 % or the noise; the plan that ran fastest is kept. `plan`: begin with this one. `measurement`: what
    `partita.onnx.profile` has found before. `against_even`: run the even split too, turn by turn. `folder`: keep what
    was measured, plans and stages there; without one they go with the result. `tell` is called
    with a line now and then. All else as for `partita.run`.
    """
    if oversubscribe or optimize:
        raise InputError(
            "a model is measured on cores of its own, and optimised before that: neither oversubscribe nor optimize "
            "fits; give a plan to run with them"
        )
    if recalibrate < 0:
        raise InputError(f"recalibrate: found {recalibrate}, expected 0 rounds or more")
    tell = tell or (lambda line: None)
    sample, inputs = _first_sample(inputs)
    kept = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="partita-whole-"))
    try:
        if measurement is None:
            # A plan names the nodes of its own model, which must not be optimised anew then.
            measurement = profile(
                model,
                devices=_DEFAULT_DEVICES if devices is None else devices,
                cores_per_device=cores_per_device,
                inputs=sample,
                dims=dims,
                repetitions=repetitions,
                folder=kept / "measured",
                level="all" if plan is None else "none",
            )
            for line in str(measurement).splitlines():
                tell(line)
        loop = _Loop(measurement, kept, devices, sample, samples, time_limit, options, tell)
        best, plan_file, pipeline, rounds = loop.rounds(plan, recalibrate)
        compared = loop.compare(pipeline, plan_file) if against_even else None
        if keep_outputs or trace is not None or not (sample is inputs or inputs is None):
            best = loop.run(
                pipeline, plan_file, sample if inputs is None else inputs, keep_outputs=keep_outputs, trace=trace
            )
        result = WholeResult(
            best.outputs,
            best.measured,
            best.pipeline,
            best.plan,
            best.stamps,
            loop.measurement,
            tuple(rounds),
            compared,
        )
    except BaseException:
        _remove(kept, folder)
        raise
    weakref.finalize(result, _remove, kept, folder)  # a report of it needs the model and the plan
    return result


class _Loop:
    """Plan, cut, run, and again."""

    def __init__(self, measurement: Measurement, folder: Path, devices, sample, samples, time_limit, options, tell):
        self.measurement, self.folder, self.sample, self.samples = measurement, folder, sample, samples
        self.time_limit, self.options, self.tell = time_limit, options, tell
        kinds = devices if isinstance(devices, list) else len(measurement.devices)
        provider = None if isinstance(devices, list) else measurement.provider
        self.placed = {device.name: device for device in find_devices(kinds, measurement.cores_per_device, provider)}
        self.count = itertools.count()

    def run(self, pipeline: Pipeline, plan: PlanFile | None, inputs, **options) -> RunResult:
        here = self.options.get("engine", "local") == "local"  # others find devices themselves
        devices = [self.placed[name] for name in pipeline.devices] if here else None
        return run(
            pipeline, plan, inputs, devices=devices, samples=self.samples, dims=None, **{**self.options, **options}
        )

    def planned(self) -> PlanFile:
        number = next(self.count)
        return plan_measured(
            self.measurement, self.folder / f"plan_{number}.json", self.folder / f"round_{number}", self.time_limit
        )

    def cut(self, plan: PlanFile) -> Pipeline:
        return split(self.measurement.model, plan, self.folder / f"stages_{next(self.count)}", force=True)

    def rounds(self, given, most: int) -> tuple[RunResult, PlanFile, Pipeline, list[Measured]]:
        plan = self.planned() if given is None else given if isinstance(given, PlanFile) else PlanFile.read(given)
        self._warn(plan)
        self.tell("round  predicted  measured  error  noise   slowest device   (ms per sample)")
        found = []
        for number in range(most + 1):
            pipeline = self.cut(plan)
            found.append((self._round(number, pipeline, plan), plan, pipeline))
            if number == most or holds(found[-1][0].measured):
                break
            self.measurement = recalibrated(self.measurement, plan, found[-1][0].measured)
            plan = self.planned()
        seen = [result.measured for result, _, _ in found]
        return (*self._best(found, seen), seen)

    def _round(self, number: int, pipeline: Pipeline, plan: PlanFile) -> RunResult:
        result = self.run(pipeline, plan, self.sample, keep_outputs=False)
        measured = result.measured
        self.tell(
            f"{number:5d}  {measured.predicted:9.4g}  {measured.time_per_sample:8.4g}  {100 * measured.error:+4.0f} %"
            f"  {100 * noise_of(measured):3.0f} %   {measured.bottleneck.name}"
        )
        return result

    def _best(self, found: list, seen: list) -> tuple[RunResult, PlanFile, Pipeline]:
        """The last one, unless another split was faster by more than the noise and is so again: machines change from
        one minute to the next. What it is predicted to take is then what was learnt meanwhile."""
        last, fastest = found[-1], min(found, key=lambda one: one[0].measured.time_per_sample)
        limit = last[0].measured.time_per_sample * (1 - noise_of(last[0].measured))
        same = [device.nodes for device in fastest[1].devices] == [device.nodes for device in last[1].devices]
        if same or fastest[0].measured.time_per_sample >= limit:
            return last
        plan = repriced(fastest[1], self.measurement)
        again = self._round(len(found), fastest[2], plan)
        seen.append(again.measured)
        return (again, plan, fastest[2]) if again.measured.time_per_sample < limit else last

    def compare(self, pipeline: Pipeline, plan: PlanFile) -> Compared:
        even = even_stages(self.measurement, self.folder / "even")
        times: tuple[list, list] = ([], [])
        for _ in range(_TURNS):
            for kept, stages, of in zip(times, (pipeline, even), (plan, None)):
                kept.append(self.run(stages, of, self.sample, keep_outputs=False).measured.time_per_sample)
        return Compared(tuple(times[0]), tuple(times[1]))

    def _warn(self, plan: PlanFile) -> None:
        even = 1e3 * predicted_seconds(self.measurement)
        gain = 1 - plan.milliseconds(plan.value) / even if even else 0.0
        if line := self.measurement.warning(max(0.0, gain)):
            self.tell(f"warning: {line}")


def _remove(kept: Path, folder) -> None:
    if folder is None:
        shutil.rmtree(kept, ignore_errors=True)


def _first_sample(inputs):
    """One sample to measure with, and all of them again: what is iterated over once must not lose its first."""
    if inputs is None or isinstance(inputs, Mapping):
        return inputs, inputs
    samples = iter(inputs)
    first = next(samples, None)
    if first is None:
        raise InputError("inputs: found none; expected at least one sample")
    return first, inputs if hasattr(inputs, "__len__") else itertools.chain([first], samples)


def _median(values) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
