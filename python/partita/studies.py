# SPDX-License-Identifier: Apache-2.0
"""What is asked of plans and graphs besides a plan: `check`, `simulate`, `compare` and `sweep`."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from partita.compiled import library
from partita.errors import InputError, needs
from partita.files import write_json, write_text
from partita.graph import Graph, as_graph
from partita.planning import on_devices, searching, seconds_of, wishes
from partita.platform import Platform, as_platform, bytes_of
from partita.result import TABLE_WIDTH, Plan

if TYPE_CHECKING:
    import pandas


def _frame(rows: list[dict[str, Any]]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError:
        raise needs("pandas", "to_pandas", "notebook") from None
    return pandas.DataFrame(rows)


@dataclasses.dataclass(frozen=True)
class Violation:
    """A rule that a split breaks: its kind, and a line that names nodes and devices."""

    kind: str
    message: str


class Check:
    """Whether a split is legal and what it costs, recomputed from the graph alone."""

    def __init__(self, outcome: Mapping[str, Any]):
        self.legal: bool = outcome["legal"]
        self.value: float = outcome["value"]
        self.unit: str = outcome["unit"]
        self.violations = [Violation(*pair) for pair in outcome["violations"]]
        #: No split that the certificate is about has a value of this or less; None without one that holds.
        self.certified: float | None = outcome["certified"]
        self._accepted: bool = outcome["accepted"]
        self._text: str = outcome["text"]

    def __bool__(self) -> bool:
        """Legal, and the certificate, if one was given, holds."""
        return self.legal and self._accepted

    def __repr__(self) -> str:
        return self._text.rstrip()

    def to_pandas(self) -> pandas.DataFrame:
        """The violations; none for a legal split."""
        return _frame([dataclasses.asdict(violation) for violation in self.violations])


def check(
    graph: Graph | str | os.PathLike,
    plan: Plan | str | os.PathLike | Mapping[str, Any],
    certificate: str | os.PathLike | None = None,
    time_limit: float | str | None = 60,
) -> Check:
    """Judges a plan anew: `plan` is a Plan, a file's path, or a plan as a dict.

    `certificate` is verified too, within the time: the text that a plan's `certificate` is, or a file's path.

    >>> from partita import Graph, Platform, plan
    >>> graph = Graph.from_arrays([2.0, 1.0, 3.0], [(0, 1), (1, 2)], [0.5, 0.25])
    >>> verdict = check(graph, plan(graph, Platform.of(accelerators=2)))
    >>> verdict.legal, verdict.value
    (True, 3.25)
    """
    if isinstance(plan, Plan):
        text, source = plan.to_json(), "plan"
    elif isinstance(plan, Mapping):
        text, source = json.dumps(plan), "plan"
    else:
        source = os.fspath(plan)
        with open(source, encoding="utf-8") as file:
            text = file.read()
    proof, proof_source = "", "certificate"
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        proof = certificate
    elif certificate is not None:
        proof_source = os.fspath(certificate)
        with open(proof_source, encoding="utf-8") as file:
            proof = file.read()
    handle = as_graph(graph)._handle
    return Check(library.check(handle, text, source, proof, proof_source, seconds_of(time_limit), TABLE_WIDTH))


class Simulation:
    """A plan at work on a stream of samples; times are in `unit`."""

    def __init__(self, document: dict[str, Any], text: str, trace: str):
        self.document = document
        self._text = text
        self._trace = trace

    @property
    def unit(self) -> str:
        return self.document.get("time_unit", "")

    @property
    def schedule(self) -> str:
        return self.document["schedule"]

    @property
    def samples(self) -> int:
        return self.document["samples"]

    @property
    def time_per_sample(self) -> float:
        """In steady state."""
        return self.document["time_per_sample"]

    @property
    def throughput(self) -> float:
        """Samples per unit of time."""
        return self.document["throughput"]

    @property
    def latency(self) -> float:
        """From the start to the end of a sample in the middle of the stream."""
        return self.document["latency"]

    @property
    def makespan(self) -> float:
        """The end of the last sample."""
        return self.document["makespan"]

    def save(self, path: str | os.PathLike) -> None:
        """Writes the measurements as `partita simulate -o` does."""
        write_json(path, self.document, indent=2)

    def save_trace(self, path: str | os.PathLike) -> None:
        """Writes what ran when, for ui.perfetto.dev and chrome://tracing."""
        write_text(path, self._trace)

    def __repr__(self) -> str:
        return self._text.rstrip()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each device: how it spent the time."""
        return _frame(self.document["devices"])


def simulate(
    plan: Plan | str | os.PathLike,
    samples: int = 100,
    *,
    schedule: str | None = None,
    microbatches: int | None = None,
) -> Simulation:
    """Runs a plan on a stream of samples, event by event, and measures it.

    `schedule`: "pipeline", "1f1b", "gpipe" or "sequential"; None: what fits the plan's question.

    >>> from partita import Graph, Platform, plan
    >>> graph = Graph.from_arrays([2.0, 1.0, 3.0], [(0, 1), (1, 2)], [0.5, 0.25], unit="ms")
    >>> simulate(plan(graph, Platform.of(accelerators=2)), samples=50).time_per_sample
    3.25
    """
    planned = plan if isinstance(plan, Plan) else Plan.read(plan)
    for argument, number in (("samples", samples), ("microbatches", microbatches or 1)):
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 1_000_000:
            raise InputError(f"{argument}: found {number!r}; expected a whole number from 1 to 1000000")
    document, text, trace = library.simulate(planned._handle, schedule or "", samples, microbatches or 0, TABLE_WIDTH)
    return Simulation(json.loads(document), text, trace)


class Comparison:
    """Several algorithms on one question."""

    def __init__(self, document: dict[str, Any], text: str, interrupted: bool):
        self.document = document
        self.interrupted = interrupted
        self._text = text

    @property
    def best(self) -> float:
        """The smallest value of a legal split."""
        return self.document["workloads"][0]["best"]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """A dict for each algorithm (docs/formats.md, "Comparisons")."""
        return self.document["workloads"][0]["algorithms"]

    def __repr__(self) -> str:
        return self._text.rstrip()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each algorithm."""
        return _frame(self.runs)


def compare(
    graph: Graph | str | os.PathLike,
    platform: Platform | str | None = None,
    *,
    algorithms: Sequence[str] = (),
    objective: str = "throughput",
    shape: str = "staged",
    transfers: str = "sum",
    time_limit: float | str | None = 10,
    memory_limit: float | str | None = None,
    threads: int = 1,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    **model: Any,
) -> Comparison:
    """Solvers and baselines on one question, one after the other; `time_limit` is for each.

    >>> from partita import Graph, Platform
    >>> graph = Graph.from_arrays([2.0, 1.0, 3.0], [(0, 1), (1, 2)], [0.5, 0.25])
    >>> comparison = compare(graph, Platform.of(accelerators=2), algorithms=["dp", "greedy"])
    >>> comparison.best
    3.25
    >>> [run["algorithm"] for run in comparison.runs]
    ['dp', 'greedy']
    """
    question = {"objective": objective, "shape": shape, "transfers": transfers}
    how = searching(
        time_limit=time_limit, memory_limit=memory_limit, threads=threads, seed=seed, settings=settings
    )
    costed = on_devices(graph, as_platform(platform), model)
    document, text, interrupted = library.compare(costed._handle, question, how, list(algorithms), TABLE_WIDTH)
    return Comparison(json.loads(document), text, interrupted)


class Sweep:
    """The best split as one property of the devices changes."""

    def __init__(self, document: dict[str, Any], text: str, interrupted: bool):
        self.document = document
        self.interrupted = interrupted
        self._text = text

    @property
    def points(self) -> list[dict[str, Any]]:
        """A dict for each value (docs/formats.md, "Sweeps")."""
        return self.document["points"]

    @property
    def verdict(self) -> str:
        """After which value more stops paying."""
        return self.document["verdict"]

    def __repr__(self) -> str:
        return self._text.rstrip()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each value."""
        return _frame(self.points)


def sweep(
    graph: Graph | str | os.PathLike,
    vary: str,
    values: Sequence[float | str],
    platform: Platform | str | None = None,
    *,
    objective: str = "throughput",
    shape: str = "staged",
    transfers: str = "sum",
    memory_model: str = "flat",
    microbatches: int | None = None,
    recompute: bool = False,
    replicate: int = 1,
    pin: Mapping[str, str] | None = None,
    together: Sequence | None = None,
    apart: Sequence | None = None,
    algorithm: str = "auto",
    time_limit: float | str | None = 10,
    memory_limit: float | str | None = None,
    gap: float = 0,
    threads: int = 1,
    seed: int = 1,
    settings: Mapping[str, Any] | None = None,
    **model: Any,
) -> Sweep:
    """The curve of best value and bound over one number of the devices; `time_limit` is for each value.

    `vary`: "accelerators", "hosts", "memory" (bytes, or "16GiB") or "bandwidth" (how many times as fast links are).

    >>> from partita import Graph, Platform
    >>> graph = Graph.from_arrays([2.0, 1.0, 3.0], [(0, 1), (1, 2)], [0.5, 0.25])
    >>> [point["value"] for point in sweep(graph, "accelerators", [1, 2], Platform.of(accelerators=1)).points]
    [6, 3.25]
    """
    question = {
        "objective": objective,
        "shape": shape,
        "transfers": transfers,
        "memory_model": memory_model,
        "microbatches": microbatches,
        "recompute": recompute,
        "replicate": replicate,
        **wishes(pin, together, apart),
    }
    how = searching(
        algorithm=algorithm, time_limit=time_limit, memory_limit=memory_limit, gap=gap, threads=threads, seed=seed,
        settings=settings,
    )  # fmt: skip
    numbers = [bytes_of(value, "values") for value in values]
    if not numbers:
        raise InputError("values: found none; expected at least one, such as range(1, 9)")
    costed = on_devices(graph, as_platform(platform), model)
    document, text, interrupted = library.sweep(
        costed._handle, question, how, vary, sorted({float(number) for number in numbers}), TABLE_WIDTH
    )
    return Sweep(json.loads(document), text, interrupted)
