# SPDX-License-Identifier: Apache-2.0
"""`partita.run`: a plan at work.

An engine is a class like LocalEngine (local.py): made of a pipeline, devices and feeds, which starts it; a context
manager, which ends it; with `stream()`, `stamps()`, `settings()`, `name` and `window`. One with
`places_devices = False` is given devices as the caller has named them, and finds them itself.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from partita.errors import InputError
from partita.pipeline import Pipeline
from partita.plan_file import PlanFile
from partita.running.feeds import Feeds
from partita.running.measured import Measured, measure
from partita.running.prepared import prepared
from partita.running.stamps import StageStamps
from partita.running.trace import write_trace

ENGINES = {  # name: module and class
    "local": ("partita.running.local", "LocalEngine"),
    "ray": ("partita.running.ray_engine", "RayEngine"),
}
_BETWEEN_PROGRESS = 0.1  # seconds


@dataclass(frozen=True)
class RunResult:
    """What came out: `outputs` of each sample in order, and what was measured. Prints as predicted against measured."""

    outputs: list[dict]
    measured: Measured
    pipeline: Pipeline
    plan: PlanFile | None = None
    stamps: list[StageStamps] = field(default_factory=list, repr=False)

    def write_trace(self, path) -> None:
        """What happened when, in the format of `partita simulate --trace`."""
        write_trace(path, self.pipeline, self.stamps, self.plan.workload if self.plan else None)

    def write_report(self, path) -> None:
        """A page with the predicted and the measured timeline, one above the other."""
        from partita.running.report import write_report

        write_report(path, self)

    def __repr__(self) -> str:
        return self.measured.table()


def engine_class(name: str):
    """The engine of that name."""
    if name not in ENGINES:
        raise InputError(f"engine: found {name!r}, expected {' or '.join(ENGINES)}")
    module, kind = ENGINES[name]
    return getattr(importlib.import_module(module), kind)


def run(
    model,
    plan=None,
    inputs=None,
    *,
    devices=None,
    samples: int | None = None,
    engine: str = "local",
    window: int | None = None,
    trace=None,
    progress: Callable[[int, int | None], None] | None = None,
    dims: dict[str, int] | None = None,
    cores_per_device: int = 1,
    oversubscribe: bool = False,
    optimize: bool = False,
    keep_outputs: bool = True,
    **engine_options,
) -> RunResult:
    """Runs a stream of samples through the stages of a model, and measures each stage.

    `model` is an ONNX file, which is cut along `plan` first, or a folder of stages. `inputs` is an iterable of dicts
    of NumPy arrays; one dict, which is run `samples` times (100); or None: random inputs. `devices` names what plays
    the plan's devices ("cpu", "cuda:0", ...; by default processors), each with `cores_per_device` cores. At most
    `window` samples are in flight. `trace` names a file for what happened when; `progress` is called with the samples
    done and all (None: not known). `dims`: the sizes, or the largest ones, of open dimensions. Without `keep_outputs`
    results are only counted. Without a plan, a model is measured and planned for `devices` first.

        result = partita.run("model.onnx", "plan.json", [{"x": x} for x in samples])
        print(result.measured.time_per_sample, "ms per sample,", result.measured.predicted, "predicted")
    """
    options = dict(samples=samples, engine=engine, window=window, trace=trace, progress=progress, dims=dims,
                   cores_per_device=cores_per_device, oversubscribe=oversubscribe, optimize=optimize,
                   keep_outputs=keep_outputs, **engine_options)
    if plan is None and _is_model(model):
        from partita.running.whole import profile_plan_and_run

        return profile_plan_and_run(model, inputs, devices=devices, **options)
    with prepared(model, plan) as (pipeline, plan_file):
        started = _start(pipeline, plan_file, inputs, devices, options)
        with started as running:
            outputs = []
            for made in _with_progress(running.stream(keep_outputs=keep_outputs), running.feeds.count, progress):
                if keep_outputs:
                    outputs.append(made)
            stamps = running.stamps()
            settings = running.settings()
        measured = measure(
            pipeline, stamps, engine=running.name, window=running.window, plan=plan_file, settings=settings
        )
        result = RunResult(outputs, measured, pipeline, plan_file, stamps)
        if trace is not None:
            result.write_trace(trace)
        return result


def stream(model, plan=None, inputs=None, **options) -> Iterator[dict]:
    """The outputs of each sample as soon as they are there, in order; options as for `run`. Ends the pipeline when it
    is through, or closed.

        for outputs in partita.running.stream("stages", inputs=camera()):
            show(outputs["y"])
    """
    devices = options.pop("devices", None)
    with prepared(model, plan) as (pipeline, plan_file):
        with _start(pipeline, plan_file, inputs, devices, options) as running:
            yield from running.stream()


def _is_model(model) -> bool:
    from pathlib import Path

    return not isinstance(model, Pipeline) and Path(model).is_file()


def _start(pipeline: Pipeline, plan: PlanFile | None, inputs, devices, options: dict):
    """The engine, started. Whatever can be refused is refused before."""
    from partita.running.devices import place_devices

    chosen = engine_class(options.pop("engine", None) or "local")
    for used_up in ("trace", "progress", "keep_outputs"):
        options.pop(used_up, None)
    feeds = Feeds(pipeline, inputs, options.pop("samples", None), options.pop("dims", None) or planned_dims(plan))
    cores, share = options.pop("cores_per_device", 1), options.pop("oversubscribe", False)
    if getattr(chosen, "places_devices", True):
        devices = place_devices(pipeline.devices, devices, cores_per_device=cores, oversubscribe=share)
    else:
        options |= {"cores_per_device": cores, "oversubscribe": share}
    return chosen(pipeline, devices, feeds, **options)


def planned_dims(plan: PlanFile | None) -> dict[str, int]:
    """The sizes of open dimensions that the plan was made for (`--dim batch=8`), where it says them."""
    text = (plan.content.get("model", {}).get("options", {}).get("dim", "") if plan else "") or ""
    pairs = [pair.split("=", 1) for pair in text.split(",") if "=" in pair]
    return {name.strip(): int(size) for name, size in pairs if size.strip().isdigit()}


def _with_progress(outputs: Iterator[dict], count: int | None, progress) -> Iterator[dict]:
    if progress is None:
        yield from outputs
        return
    told = 0.0
    done = 0
    for done, made in enumerate(outputs, 1):
        now = time.monotonic()
        if now - told >= _BETWEEN_PROGRESS:
            progress(done, count)
            told = now
        yield made
    progress(done, count)
