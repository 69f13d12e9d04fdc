# SPDX-License-Identifier: Apache-2.0
"""What is to be run, as a folder of stages with a plan: as it was given, or cut first."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from partita.errors import InputError
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
    """The stages of a model, in a new folder."""
    from partita.onnx.splitting import split

    split(model, plan, folder)
