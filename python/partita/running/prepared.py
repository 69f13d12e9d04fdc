# SPDX-License-Identifier: Apache-2.0
"""What is to be run, as a folder of stages with a plan: as it was given, or cut first."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from partita.errors import InputError, RunError
from partita.pipeline import Pipeline
from partita.plan_file import PlanFile


@contextlib.contextmanager
def prepared(model, plan):
    """The pipeline and the plan (None for stages without one). A folder that is made for them goes with the block."""
    plan = plan if plan is None or isinstance(plan, PlanFile) else PlanFile.read(plan)
    if isinstance(model, Pipeline) or Path(model).is_dir():
        pipeline = model if isinstance(model, Pipeline) else Pipeline.read(model)
        if plan is not None:
            plan.check_is_of(pipeline)
        yield pipeline, plan
        return
    if not Path(model).is_file():
        raise InputError(f"{model}: there is no such file; expected an ONNX model or a folder of stages")
    if plan is None:
        raise InputError(
            f"{model}: a model needs a plan to be run; `python -m partita run {model}` measures and plans it first"
        )
    with tempfile.TemporaryDirectory(prefix="partita-stages-") as above:
        folder = Path(above, "stages")
        cut(model, plan.path, folder)
        pipeline = Pipeline.read(folder)
        plan.check_is_of(pipeline)
        yield pipeline, plan


def cut(model, plan, folder) -> None:
    """The stages of a model, in a new folder: by the package's own cutter, or else by the program."""
    try:
        from partita.onnx.split import split
    except ImportError:
        _cut_by_program(model, plan, folder)
    else:
        split(model, plan, folder)


def _cut_by_program(model, plan, folder) -> None:
    program = os.environ.get("PARTITA") or shutil.which("partita")
    if program is None:
        raise RunError("cutting a model needs the program partita: it is not on the PATH, nor named by PARTITA")
    done = subprocess.run([program, "split", model, plan, "-o", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(done.stderr.strip().removeprefix("partita: ") or f"{program} split failed")
