# SPDX-License-Identifier: Apache-2.0
"""A run as a trace, in the format of `partita simulate --trace`: the same lanes, names and categories, so that a
prediction and a measurement lie one above the other in any viewer of the Trace Event Format (Perfetto,
chrome://tracing).

Waiting is the gaps between slices, as in simulations. Samples are numbered from the run's first; times begin with the
first slice. Arrows lead from a stage to those that read from it.
"""

from __future__ import annotations

import json
import os

from partita.pipeline import Pipeline
from partita.running.stamps import PHASES, StageStamps

_WITH_ARROWS = 100  # samples: later ones only repeat the pattern


def trace_events(pipeline: Pipeline, stamps: list[StageStamps]) -> list[dict]:
    """The events, by time; metadata first."""
    places = {name: place for place, name in enumerate(pipeline.devices)}
    events = []
    for name, place in places.items():
        events += _named("process", place, name)
    for name, place in places.items():
        events += _named("thread", place, name)
    starts = [int(one.moments[0, 1]) for one in stamps if len(one.samples)]
    slices = _slices(pipeline, stamps, places, min(starts, default=0))
    slices += _arrows(pipeline, stamps, places, min(starts, default=0))
    slices.sort(key=lambda event: (event["ts"], event["ph"] != "X"))
    return events + slices


def write_trace(path, pipeline: Pipeline, stamps: list[StageStamps], workload: str | None = None) -> None:
    """Writes the trace; a file of that name is replaced once the new one is whole. `workload`: as the plan calls it."""
    name = workload or pipeline.model.rsplit(".", 1)[0]
    head = {"displayTimeUnit": "ms", "otherData": {"workload": name, "schedule": "measured", "program": "partita"}}
    text = ",\n".join(json.dumps(event, separators=(",", ":")) for event in trace_events(pipeline, stamps))
    partial = f"{os.fspath(path)}.{os.getpid()}.partial"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            file.write(json.dumps(head)[:-1] + ',\n"traceEvents": [\n' + text + "\n]}\n")
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def _named(of: str, place: int, name: str) -> list[dict]:
    ids = {"pid": place + 1, **({"tid": place + 1} if of == "thread" else {})}
    return [{"ph": "M", "name": f"{of}_name", **ids, "args": {"name": name}},
            {"ph": "M", "name": f"{of}_sort_index", **ids, "args": {"sort_index": place}}]


def _microseconds(nanoseconds: int) -> float:
    return nanoseconds / 1000


def _slices(pipeline: Pipeline, stamps: list[StageStamps], places: dict, origin: int) -> list[dict]:
    made = []
    for one in stamps:
        place = places[one.device] + 1
        reads = any(tensor.source is not None for tensor in pipeline.stages[one.stage].inputs)
        arguments = {"piece": one.stage, "backward": False, "nodes": pipeline.stages[one.stage].nodes}
        for sample, moments in zip(one.samples.tolist(), one.moments.tolist()):
            for phase in ("in", "compute", "out"):
                start, finish = (moments[moment] - origin for moment in PHASES[phase])
                if phase == "in" and not reads:
                    continue  # the model's inputs cost nothing in simulations either
                made.append({
                    "ph": "X", "name": f"F{sample}" if phase == "compute" else f"{phase} {sample}", "cat": phase,
                    "ts": _microseconds(start), "dur": _microseconds(finish - start), "pid": place, "tid": place,
                    "args": {"sample": sample, **arguments}})
    return made


def _arrows(pipeline: Pipeline, stamps: list[StageStamps], places: dict, origin: int) -> list[dict]:
    """From the last slice of a sample's stage to the first one of each stage on another device that reads from it."""
    rows = {}
    for one in stamps:
        for sample, moments in zip(one.samples.tolist(), one.moments.tolist()):
            if len(one.samples) and sample - int(one.samples[0]) < _WITH_ARROWS:
                rows[one.stage, sample] = (places[one.device] + 1, moments)
    made = []
    for (stage, sample), (place, moments) in rows.items():
        for source in sorted({tensor.source for tensor in pipeline.stages[stage].inputs if tensor.source is not None}):
            before = rows.get((source, sample))
            if before is None or before[0] == place:
                continue
            shared = {"id": len(made) // 2, "name": f"sample {sample}", "cat": "flow"}
            made.append(
                {"ph": "s", **shared, "ts": _microseconds(before[1][3] - origin), "pid": before[0], "tid": before[0]}
            )
            made.append(
                {"ph": "f", "bp": "e", **shared, "ts": _microseconds(moments[1] - origin), "pid": place, "tid": place}
            )
    return made
