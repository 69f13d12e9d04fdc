# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's profiler writes: a list of events, one a line.

Names stand in it unescaped, so a line with a quote in a name is no JSON. `optimise` gives no such names to the
operators that count, so such a line is one of a body's and passed over. On a GPU the event of a node is its launch, and
what it launched are events of the category Kernel that name it.
"""

from __future__ import annotations

import bisect
import json
from collections import defaultdict

from partita.errors import RunError

_ENDING = "_kernel_time"
_MOST_EVENTS = 1_000_000  # ONNX Runtime records no more


def operator_times(path, names: set[str], counted: list[int]) -> dict[str, list[float]]:
    """Seconds that each operator took in the runs that count, by name, a number for each run.

    Only operators in `names` are looked at: those of bodies of If and Loop have events beside that of the whole, which
    holds them already.
    """
    runs, nodes, kernels, events = [], [], [], 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            event = _event(line)
            if event is None:
                continue
            events += 1
            category, name, start, duration, parent = event
            if category == "Session" and name == "model_run":
                runs.append(start)
            elif category == "Node" and name.endswith(_ENDING) and name[: -len(_ENDING)] in names:
                nodes.append((name[: -len(_ENDING)], start, duration))
            elif category == "Kernel" and parent.removesuffix(_ENDING) in names:
                kernels.append((parent.removesuffix(_ENDING), start, duration))
    if events >= _MOST_EVENTS:
        raise RunError(f"the profiler stopped recording after {events} events; measure with fewer repetitions")
    runs.sort()
    on_gpu = {name for name, _, _ in kernels}
    times: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for name, start, duration in [*(node for node in nodes if node[0] not in on_gpu), *kernels]:
        times[name][bisect.bisect_right(runs, start) - 1] += 1e-6 * duration
    return {name: [by_run.get(run, 0.0) for run in counted] for name, by_run in times.items()}


def _event(line: str):
    line = line.strip().rstrip(",")
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line, strict=False)
    except ValueError:
        return None
    arguments = event.get("args") or {}
    return (
        event.get("cat"),
        event.get("name", ""),
        event.get("ts", 0),
        event.get("dur", 0),
        arguments.get("parent_name", ""),
    )
