# SPDX-License-Identifier: Apache-2.0
"""What a search answers: a plan, its stages, and how good it is."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Sequence

from partita.compiled import library
from partita.errors import InputError
from partita.graph import Graph, as_graph

if TYPE_CHECKING:
    import numpy

TABLE_WIDTH = 100  # of what repr shows
PAGE_HEIGHT = 640  # pixels, in a notebook


@dataclasses.dataclass(frozen=True)
class Stage:
    """What one device runs; times are in the plan's unit, for each sample."""

    device: str  # "accelerator 0"
    nodes: list[int]  # places in the graph
    load: float
    compute: float
    transfer_in: float
    transfer_out: float
    memory: float  # bytes
    copies: list[str]  # other devices that run the same stage in turn


class Plan:
    """A split of a graph over devices, with its value, a bound, and the question that it answers."""

    def __init__(self, handle: Any):
        self._handle = handle

    @classmethod
    def read(cls, path: str | os.PathLike, graph: Graph | str | os.PathLike | None = None) -> Plan:
        """The plan of a file; without `graph`, for the model that the file names. It is checked anew."""
        given = None if graph is None else as_graph(graph)
        return cls(library.read_plan(os.fspath(path), None if given is None else given._handle))

    @property
    def status(self) -> str:
        """"optimal", "feasible", "infeasible", or "unknown" where a limit came before any split."""
        return self._handle.status

    @property
    def ended(self) -> str:
        """Why the search ended: "searched", "time limit", "memory limit", "interrupted" (Ctrl-C) or "callback"."""
        return self._handle.ended

    @property
    def value(self) -> float:
        """The time per sample (of one sample, for latency), in `unit`; inf without a split."""
        return self._handle.value

    @property
    def bound(self) -> float:
        """No legal split is below this."""
        return self._handle.bound

    @property
    def gap(self) -> float:
        """(value - bound) / value."""
        return self._handle.gap

    @property
    def unit(self) -> str:
        """Of every time: "ms"; empty where nobody said."""
        return self._handle.unit

    @property
    def proof(self) -> str:
        """How the bound was proved, in a few words."""
        return self._handle.proof

    @property
    def reason(self) -> str:
        """Why there is no split, where there is none."""
        return self._handle.reason

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self._handle.seconds

    @property
    def certificate(self) -> str | None:
        """What proves the bound, as JSON that `partita-check --certificate` verifies; few bounds have one."""
        return self._handle.certificate or None

    @property
    def graph(self) -> Graph:
        """What was planned, with its costs on the devices."""
        return Graph(self._handle.graph)

    @property
    def device_of(self) -> numpy.ndarray:
        """Which device has each node, devices being numbered class by class; empty without a split."""
        return self._handle.device_of()

    @functools.cached_property
    def _document(self) -> dict[str, Any]:
        return json.loads(self.to_json())

    @property
    def stages(self) -> list[Stage]:
        """What each device in use runs; in pipeline order where the shape has one."""
        return stages_of(self._document, self.graph.ids.tolist())

    def to_json(self) -> str:
        """The plan as `partita plan -o` writes it."""
        return library.plan_json(self._handle)

    def to_dict(self) -> dict[str, Any]:
        """The same as a dict (docs/formats.md)."""
        return json.loads(self.to_json())

    def save(self, path: str | os.PathLike) -> None:
        """Writes the plan as `partita plan -o` does: every command takes it."""
        write_text(path, self.to_json())

    def report(self, path: str | os.PathLike, *, trace: str | os.PathLike | None = None) -> None:
        """Writes a page that shows it all: one HTML file that needs nothing else.

        `trace`: of a real run (`python -m partita run --trace`), whose timeline is shown below the predicted one.
        """
        page = library.run_page(self._handle, os.fspath(trace)) if trace else library.plan_page(self._handle)
        write_text(path, page)

    def svg(self) -> str:
        """The split as a picture."""
        return library.plan_svg(self._handle)

    def split(
        self, folder: str | os.PathLike, *, chain: bool = False, copy_weights: bool = False, force: bool = False
    ) -> list[str]:
        """Cuts the ONNX model along the plan, into a file for each stage, as `partita split`; returns notes.

        `chain`: each stage reads from the one before it alone. `copy_weights`: external weights are copied, for each
        stage its own. `force`: replace a folder of stages.
        """
        return library.cut_plan(self._handle, os.fspath(folder), chain, copy_weights, force)

    def export(
        self,
        target: str,
        path: str | os.PathLike | None = None,
        *,
        devices: Sequence[str] = (),
        stages: str | os.PathLike = "",
    ) -> str | None:
        """The settings with which an engine runs the plan, as `partita export --to`.

        Without `path` their text is returned; engines that take several files need one, which becomes a folder.
        """
        is_folder, files, _ = library.export_plan(self._handle, target, list(devices), os.fspath(stages))
        if path is None:
            if is_folder:
                raise InputError(f"path: is missing; {target} takes a folder, which must be given a name")
            return files[0][1]
        if is_folder:
            _write_folder(Path(path), files)
        else:
            write_text(path, files[0][1])
        return None

    def __repr__(self) -> str:
        return plan_text(self._handle, TABLE_WIDTH)

    def _repr_html_(self) -> str:
        page = html.escape(library.plan_page(self._handle), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{PAGE_HEIGHT}" style="border: 0"></iframe>'

    def __getstate__(self) -> dict:
        raise TypeError("a Plan is not pickled; save it, or pass to_json() on, and read it where it is needed")


def plan_text(handle: Any, width: int) -> str:
    """A plan for people: what it is worth, what was proved, and what each device does."""
    if not handle.has_split:
        return f"{handle.status}: {handle.reason}"
    unit = f" {handle.unit}" if handle.unit else ""
    head = f"{handle.status}: {library.value_text(handle)}"
    if handle.status != "optimal":
        head += f"; bound {handle.bound:.6g}{unit}, gap {handle.gap:.2%}"
    if handle.ended not in ("searched", "time limit"):
        head += f" ({handle.ended})"
    return f"{head}\n{library.plan_table(handle, width)}".rstrip()


def stages_of(document: dict[str, Any], ids: list[int]) -> list[Stage]:
    """The stages that a plan's document lists, with places of nodes for their ids."""
    place = {node: i for i, node in enumerate(ids)}
    devices = document.get("devices", [])
    copies: dict[int, list[str]] = {}
    for device in devices:
        if "copy_of" in device:
            copies.setdefault(device["copy_of"], []).append(device["name"])
    used = [(i, device) for i, device in enumerate(devices) if device["nodes"]]
    used.sort(key=lambda pair: pair[1].get("stage", pair[0]))
    return [
        Stage(
            device=device["name"],
            nodes=[place[node] for node in device["nodes"]],
            load=float(device["load"]),
            compute=float(device["compute"]),
            transfer_in=float(device["in"]),
            transfer_out=float(device["out"]),
            memory=float(device["memory"]),
            copies=copies.get(i, []),
        )
        for i, device in used
    ]


def write_text(path: str | os.PathLike, text: str) -> None:
    """A file appears whole or not at all."""
    target = Path(path)
    try:
        file, temporary = tempfile.mkstemp(prefix=".partita-", suffix=".tmp", dir=target.resolve().parent)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}; choose another path") from None
    try:
        with os.fdopen(file, "w", encoding="utf-8") as stream:
            stream.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _write_folder(folder: Path, files: list[tuple[str, str, str]]) -> None:
    """The files of an engine, in a new folder that appears whole or not at all."""
    if folder.exists():
        raise InputError(f"{folder}: is there already, and what it holds is not replaced; choose another path")
    made = Path(tempfile.mkdtemp(prefix=".partita-", suffix=".tmp", dir=folder.resolve().parent))
    try:
        for name, text, linked_to in files:
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            if linked_to:
                shutil.copyfile(linked_to, made / name)
            else:
                (made / name).write_text(text, encoding="utf-8")
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
