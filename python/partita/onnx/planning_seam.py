# SPDX-License-Identifier: Apache-2.0
"""Where measuring meets planning: plans of what was measured, by the compiled module or else by the program `partita`."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from partita.errors import InputError, MissingPackage, RunError
from partita.onnx.measurement import FILE_NAME, PLATFORM_FILE, Measurement
from partita.plan_file import PlanFile

_BAD_INPUT = range(2, 10)  # exit codes of the program that blame what it was given


def plan_measured(measurement: Measurement, path, folder=None, time_limit: float = 20.0) -> PlanFile:
    """The best staged split of what was measured, written to `path`. `folder`: where its measurement.json and platform.json are or
    will be written; the model's own without one.

        plan = plan_measured(measurement, "plan.json")
    """
    folder = Path(folder) if folder is not None else measurement.model.parent
    measurement.save(folder)
    if has_compiled():
        from partita.planning import plan

        plan(_graph(measurement.model, folder), time_limit=time_limit, progress=False).save(path)
    else:
        _run_program("plan", [measurement.model, *_options(folder), "--time-limit", f"{time_limit}s", "-q", "-o", path])
    return PlanFile.read(path)


def write_workload(measurement: Measurement, path: Path) -> Path:
    """What was measured as a workload of Partita's."""
    folder = measurement.model.parent
    measurement.save(folder)
    if has_compiled():
        _graph(measurement.model, folder).save(path)
    else:
        _run_program("convert", [measurement.model, *_options(folder), "--to", "workload", "-o", path])
    return path


def cut_by_library(model: Path, plan: Path, folder: Path, chain: bool) -> bool:
    """Cuts what the package's own cutter cannot. False: there is neither compiled module nor program."""
    if has_compiled():
        from partita.result import Plan

        Plan.read(plan, graph=model).split(folder, chain=chain)
    elif _program() is not None:
        _run_program("split", [model, plan, "-q", "-o", folder, *(["--chain"] if chain else [])])
    else:
        return False
    return True


def has_compiled() -> bool:
    """Whether the compiled module is there."""
    return importlib.util.find_spec("partita._partita") is not None


def _graph(model: Path, folder: Path):
    from partita.graph import Graph
    from partita.platform import Platform

    return Graph.read(model, platform=Platform.read(folder / PLATFORM_FILE), profile=folder / FILE_NAME)


def _program() -> str | None:
    return os.environ.get("PARTITA") or shutil.which("partita")


def _options(folder: Path) -> list:
    return ["--profile", folder / FILE_NAME, "--platform", folder / PLATFORM_FILE]


def _run_program(command: str, arguments: list) -> None:
    program = _program()
    if program is None:
        raise MissingPackage("planning needs the compiled part of the package (pip install partita) or the program partita: it is not "
                             "on the PATH, nor named by PARTITA")
    done = subprocess.run([program, command, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stderr.strip().splitlines() or [f"{program} {command} ended with exit code {done.returncode}"])[-1]
    kind = InputError if done.returncode in _BAD_INPUT else RunError
    raise kind(said.removeprefix("partita: "))
