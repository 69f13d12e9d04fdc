# SPDX-License-Identifier: Apache-2.0
"""The search for a plan: `plan`, and the arguments that all questions share."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Mapping, Sequence

from partita.compiled import library
from partita.errors import InputError
from partita.graph import Graph, as_graph
from partita.platform import Platform, as_platform, bytes_of
from partita.progress import progress_callback
from partita.result import Plan

Callback = Callable[[float, float, float], Any]


def seconds_of(limit: float | str | None) -> float:
    if limit is None:
        return math.inf
    seconds = library.parse_seconds(limit) if isinstance(limit, str) else limit
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or math.isnan(seconds) or seconds < 0:
        raise InputError(f"time_limit: found {limit!r}; expected seconds, such as 60 or '2min', or None for no limit")
    return float(seconds)


def _whole(value: int, argument: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{argument}: found {value!r}; expected a whole number from {least} on")
    return value


def _assignments(settings: Mapping[str, Any]) -> list[str]:
    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [f"{name}={text(value)}" for name, value in settings.items()]


def searching(
    *,
    algorithm: str = "auto",
    time_limit: float | str | None = 60,
    memory_limit: float | str | None = None,
    gap: float = 0,
    threads: int = 1,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    contract_layers: bool = False,
    certificate: bool = False,
) -> dict[str, Any]:
    """How to search, checked, as the compiled module takes it."""
    if not isinstance(gap, (int, float)) or not 0 <= gap <= 1:
        raise InputError(f"gap: found {gap!r}; expected a fraction from 0 to 1, such as 0.01")
    limit = bytes_of(memory_limit, "memory_limit") or library.machine_memory() / 2
    return {
        "algorithm": algorithm,
        "time_limit": seconds_of(time_limit),
        "memory_bytes": int(min(limit / 2, 1e18)),  # the rest is for the graph itself
        "gap": float(gap),
        "threads": _whole(threads, "threads", 1),
        "seed": _whole(seed, "seed", 0),
        "settings": _assignments(settings or {}),
        "contract_layers": bool(contract_layers),
        "certificate": bool(certificate),
    }


def _names(nodes: str | Sequence[str]) -> str:
    return nodes if isinstance(nodes, str) else ",".join(nodes)


def wishes(pin: Mapping[str, str] | None, together: Sequence | None, apart: Sequence | None) -> dict[str, list[str]]:
    """Where nodes are to be, in the words of the command line."""
    return {
        "pin": [f"{node}={device}" for node, device in (pin or {}).items()],
        "together": [_names(nodes) for nodes in together or ()],
        "apart": [_names(nodes) for nodes in apart or ()],
    }


def on_devices(graph: Graph | str | os.PathLike, platform: Platform | str | None, model: Mapping[str, Any]) -> Graph:
    """The graph with costs on the devices that a question is about."""
    if isinstance(graph, Graph):
        if model:
            raise InputError(f"{next(iter(model))}: only where graph is a file's path; give it to Graph.read")
        return graph.on(platform) if platform is not None or not graph._handle.has_devices else graph
    return as_graph(graph, platform=platform, **model).on(None)


def plan(
    graph: Graph | str | os.PathLike,
    platform: Platform | str | None = None,
    *,
    objective: str = "throughput",
    shape: str = "staged",
    transfers: str = "sum",
    memory_model: str = "flat",
    microbatches: int | None = None,
    recompute: bool = False,
    replicate: int = 1,
    backward_shape: bool = False,
    subgraphs: int | None = None,
    host_cores: str | None = None,
    pin: Mapping[str, str] | None = None,
    together: Sequence | None = None,
    apart: Sequence | None = None,
    algorithm: str = "auto",
    time_limit: float | str | None = 60,
    memory_limit: float | str | None = None,
    gap: float = 0,
    threads: int = 1,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    contract_layers: bool = False,
    certificate: bool = False,
    start: Plan | str | os.PathLike | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    **model: Any,
) -> Plan:
    """The best split of a graph over devices that is found in the time, with a bound below which there is none.

    `graph` may be a file's path; further arguments are then those of `Graph.read`. Arguments mean what the options of
    `partita plan` of the same names mean. `pin`: {"embed": "a100 0"}; `together` and `apart`: lists of lists of nodes,
    by name, id or pattern.

    `certificate`: also look for what proves the bound, or one as near below it as can be found, for `check` to verify;
    staged splits keep three tenths of the time for that. The plan's `certificate` is then the JSON text, or None.

    `callback(value, bound, seconds)` is called as the search goes on, value being inf before there is a split; it stops
    the search by returning False. Ctrl-C stops it too: the best so far is returned, and `ended` says so. `progress`
    shows a line on the terminal or in the notebook; None: where somebody is likely to look.

    >>> graph = Graph.from_arrays([2.0, 1.0, 3.0], [(0, 1), (1, 2)], [0.5, 0.25], unit="ms")
    >>> best = plan(graph, Platform.of(accelerators=2))
    >>> best.status, best.value
    ('optimal', 3.25)
    >>> best.device_of.tolist()
    [0, 0, 1]
    """
    question = {
        "objective": objective,
        "shape": shape,
        "transfers": transfers,
        "memory_model": memory_model,
        "microbatches": microbatches,
        "recompute": recompute,
        "replicate": replicate,
        "backward_shape": backward_shape,
        "subgraphs": subgraphs,
        "host_cores": host_cores,
        **wishes(pin, together, apart),
    }
    how = searching(
        algorithm=algorithm, time_limit=time_limit, memory_limit=memory_limit, gap=gap, threads=threads, seed=seed,
        settings=settings, contract_layers=contract_layers, certificate=certificate,
    )  # fmt: skip
    if callback is not None and not callable(callback):
        raise InputError(f"callback: found {type(callback).__name__}; expected a function of value, bound and seconds")
    costed = on_devices(graph, as_platform(platform), model)
    if isinstance(start, (str, os.PathLike)):
        start = Plan.read(start, graph=costed)
    with progress_callback(callback, progress, how["time_limit"], costed.unit) as watching:
        found = library.search(costed._handle, question, how, None if start is None else start._handle, watching)
    return Plan(found)
