# SPDX-License-Identifier: Apache-2.0
"""Where measuring meets planning: plans of what was measured, by the compiled module or the program `partita`."""

from __future__ import annotations

from pathlib import Path

from partita.errors import MissingPackage
from partita.onnx.measurement import FILE_NAME, PLATFORM_FILE, Measurement
from partita.plan_file import PlanFile
from partita.program import run_program


def plan_measured(measurement: Measurement, path, folder=None, time_limit: float = 20.0) -> PlanFile:
    """The best staged split of what was measured, written to `path`. `folder`: where its measurement.json and
    platform.json are or will be written; the model's own without one.

        plan = plan_measured(measurement, "plan.json")
    """
    folder = Path(folder) if folder is not None else measurement.model.parent
    measurement.save(folder)
    if has_compiled():
        from partita.planning import plan

        plan(_graph(measurement.model, folder), time_limit=time_limit, progress=False).save(path)
    else:
        run_program(
            "planning", "plan", measurement.model, *_options(folder), "--time-limit", f"{time_limit}s", "-q", "-o", path
        )
    return PlanFile.read(path)


def write_workload(measurement: Measurement, path: Path) -> Path:
    """What was measured as a workload of Partita's."""
    folder = measurement.model.parent
    measurement.save(folder)
    if has_compiled():
        _graph(measurement.model, folder).save(path)
    else:
        run_program("a workload", "convert", measurement.model, *_options(folder), "--to", "workload", "-o", path)
    return path


def cut_by_library(model: Path, plan: PlanFile, folder: Path, chain: bool) -> bool:
    """Cuts what the package's own cutter cannot. False: there is neither compiled module nor program."""
    if has_compiled():
        from partita.result import Plan

        # A model that the plan names is read with the options that it was planned with.
        Plan.read(plan.path, graph=None if _is_named_by(plan, model) else model).split(folder, chain=chain)
        return True
    try:
        run_program("cutting", "split", model, plan.path, "-q", "-o", folder, *(["--chain"] if chain else []))
    except MissingPackage:
        return False
    return True


def _is_named_by(plan: PlanFile, model: Path) -> bool:
    places = (Path(plan.model), plan.path.parent / plan.model) if plan.model else ()
    return any(place.is_file() and place.samefile(model) for place in places)


def has_compiled() -> bool:
    """Whether the compiled module is there, and can be loaded."""
    try:
        import partita.compiled  # noqa: F401
    except MissingPackage:
        return False
    return True


def _graph(model: Path, folder: Path):
    from partita.graph import Graph
    from partita.platform import Platform

    return Graph.read(model, platform=Platform.read(folder / PLATFORM_FILE), profile=folder / FILE_NAME)


def _options(folder: Path) -> list:
    return ["--profile", folder / FILE_NAME, "--platform", folder / PLATFORM_FILE]
