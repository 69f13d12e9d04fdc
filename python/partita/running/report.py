# SPDX-License-Identifier: Apache-2.0
"""The page that shows a run beside its prediction: two timelines, one above the other, and tables."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from partita.errors import InputError
from partita.program import find_program, run_program


def check_can_report(has_plan: bool) -> None:
    """Says before a run what would keep its report from being written."""
    if not has_plan:
        raise InputError("a report compares a run with its plan, and there is none; run the stages with their plan")
    find_program("a report")


def write_report(path, result) -> None:
    """Writes the page of a `RunResult`, by `partita simulate PLAN --measured TRACE`; needs the program and the model
    that the plan was made for."""
    check_can_report(result.plan is not None)
    with tempfile.TemporaryDirectory(prefix="partita-report-") as folder:
        trace, plan = Path(folder, "trace.json"), result.plan.path
        result.write_trace(trace)
        if not plan.is_file():  # it was made for this run alone
            plan = Path(folder, "plan.json")
            plan.write_text(json.dumps(result.plan.content), encoding="utf-8")
        run_program("a report", "simulate", plan, "--measured", trace, "--report", path, "--quiet")
