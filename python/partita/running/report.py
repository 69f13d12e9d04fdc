# SPDX-License-Identifier: Apache-2.0
"""The page that shows a run beside its prediction: two timelines, one above the other, and tables."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from partita.errors import InputError, MissingPackage
from partita.program import find_program, run_program


def check_can_report(has_plan: bool) -> None:
    """Says before a run what would keep its report from being written."""
    if not has_plan:
        raise InputError("a report compares a run with its plan, and there is none; run the stages with their plan")
    if _plan_class() is None:
        find_program("a report without the compiled module")


def write_report(path, result) -> None:
    """Writes the page of a `RunResult`, by the compiled module or else the program; needs the model that the plan was
    made for."""
    check_can_report(result.plan is not None)
    with tempfile.TemporaryDirectory(prefix="partita-report-") as folder:
        trace, plan = Path(folder, "trace.json"), result.plan.path
        result.write_trace(trace)
        if not plan.is_file():  # it was made for this run alone
            plan = Path(folder, "plan.json")
            plan.write_text(json.dumps(result.plan.content), encoding="utf-8")
        if (plans := _plan_class()) is not None:
            plans.read(plan).report(path, trace=trace)
        else:
            run_program("a report", "simulate", plan, "--measured", trace, "--report", path, "--quiet")


def _plan_class():
    try:
        from partita.result import Plan
    except MissingPackage:
        return None
    return Plan
