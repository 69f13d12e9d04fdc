# SPDX-License-Identifier: Apache-2.0
"""Where measuring meets planning: plans of what was measured, by the compiled module or else by the program `partita`."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from partita.errors import InputError, MissingPackage, RunError
from partita.onnx.measurement import FILE_NAME, PLATFORM_FILE, Measurement
from partita.plan_file import PlanFile

_BAD_INPUT = range(2, 10)  # exit codes of the program that blame what it was given


def plan_measured(measurement: Measurement, path, folder=None, time_limit: float = 20.0, options: list | None = None) -> PlanFile:
    """The best staged split of what was measured, written to `path`. `folder`: where its measurement.json and platform.json are or
    will be written; the model's own without one.

        plan = plan_measured(measurement, "plan.json")
    """
    folder = Path(folder) if folder is not None else measurement.model.parent
    measurement.save(folder)
    _run_program("plan", [measurement.model, *_measured_in(folder), "--time-limit", f"{time_limit}s", "-q", "-o", path, *(options or [])])
    return PlanFile.read(path)


def write_workload(measurement: Measurement, path: Path) -> Path:
    """What was measured as a workload of Partita's."""
    folder = measurement.model.parent
    measurement.save(folder)
    _run_program("convert", [measurement.model, *_measured_in(folder), "--to", "workload", "-o", path])
    return path


def _measured_in(folder: Path) -> list:
    return ["--profile", folder / FILE_NAME, "--platform", folder / PLATFORM_FILE]


def _run_program(command: str, arguments: list) -> None:
    program = os.environ.get("PARTITA") or shutil.which("partita")
    if program is None:
        raise MissingPackage("planning needs the compiled part of the package (pip install partita) or the program partita: it is not "
                             "on the PATH, nor named by PARTITA")
    done = subprocess.run([program, command, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stderr.strip().splitlines() or [f"{program} {command} ended with exit code {done.returncode}"])[-1]
    kind = InputError if done.returncode in _BAD_INPUT else RunError
    raise kind(said.removeprefix("partita: "))
