# SPDX-License-Identifier: Apache-2.0
"""A network as a graph: what each operator costs, and what it costs to move its output."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from partita.compiled import library
from partita.errors import InputError
from partita.platform import Platform, handle_of

if TYPE_CHECKING:
    import networkx
    import numpy


class Graph:
    """A graph to be planned: read from a file, or made of arrays.

    >>> graph = Graph.from_arrays(times=[2.0, 1.0, 3.0], edges=[(0, 1), (1, 2)], edge_costs=[0.5, 0.25], unit="ms")
    >>> graph
    Graph: 3 nodes, 2 edges
    >>> graph.times
    array([2., 1., 3.])
    """

    def __init__(self, handle: Any):
        self._handle = handle

    @classmethod
    def read(
        cls,
        path: str | os.PathLike,
        platform: Platform | str | None = None,
        *,
        dtype: str | None = None,
        batch: int | None = None,
        sequence: int | None = None,
        context: int | None = None,
        phase: str | None = None,
        training: bool = False,
        optimizer: str | None = None,
        shared_weights: str | None = None,
        dims: Mapping[str, int] | None = None,
        profile: str | os.PathLike | None = None,
        profile_on: str | None = None,
        efficiencies: str | os.PathLike | None = None,
        strict: bool = False,
    ) -> Graph:
        """The graph of a file: a workload, an ONNX model, a Hugging Face config.json or its folder, GGUF, and others.

        A model has costs only on a platform; without one it is read without costs, and `plan` says where it runs. The
        other arguments are for models, as the options of the command line: see `partita plan --help`, "Model files".
        """
        model = {
            "dtype": dtype,
            "batch": batch,
            "sequence": sequence,
            "context": context,
            "phase": phase,
            "training": training,
            "optimizer": optimizer,
            "shared_weights": shared_weights,
            "dims": [f"{name}={size}" for name, size in (dims or {}).items()],
            "profile": None if profile is None else os.fspath(profile),
            "profile_on": profile_on,
            "efficiencies": None if efficiencies is None else os.fspath(efficiencies),
        }
        return cls(library.Graph.read(os.fspath(path), handle_of(platform), model, strict))

    @classmethod
    def parse(cls, text: str, source: str = "text", platform: Platform | str | None = None) -> Graph:
        """The graph of a workload's text, as `to_json` gives it."""
        return cls(library.Graph.parse(text, source, handle_of(platform)))

    @classmethod
    def from_arrays(
        cls,
        times: Any,
        edges: Any = (),
        edge_costs: Any = None,
        *,
        memory: Any = None,
        names: Sequence[str] | None = None,
        colours: Sequence[int | None] | None = None,
        layers: Sequence[int | None] | None = None,
        backward: Any = None,
        ops: Sequence[str] | None = None,
        platform: Platform | str | None = None,
        name: str = "graph",
        unit: str = "",
    ) -> Graph:
        """A graph out of arrays, one entry for each node or edge.

        `times`: of each node on an accelerator; or one column for each class of devices, where the second of two is the
        host's, and inf stands where a node cannot run. `edges`: pairs of places of nodes. `edge_costs`: the time to
        move the output between host memory and an accelerator. `memory` is in bytes; nodes of one colour share a
        device; `unit` is that of all times, such as "ms".

        >>> graph = Graph.from_arrays([1.0, 1.0], [(0, 1)], [0.1], memory=[4e6, 2e6], names=["conv", "relu"])
        >>> graph.names
        ['conv', 'relu']
        """
        from partita.arrays import node_arrays

        nodes, ends, costs = node_arrays(
            times, edges, edge_costs, platform=platform, memory=memory, names=names, colours=colours, layers=layers,
            backward=backward, ops=ops,
        )  # fmt: skip
        return cls(library.Graph.from_arrays(nodes, ends, costs, handle_of(platform), name, unit))

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph, platform: Platform | str | None = None, unit: str = "") -> Graph:
        """A graph out of networkx: attributes `time` (a number, or one for each class), `memory`, `colour`, `layer`,
        `backward` and `op` of nodes, `cost` of edges. Names are those of the nodes."""
        from partita.arrays import of_networkx

        return cls.from_arrays(**of_networkx(graph), platform=platform, unit=unit or graph.graph.get("unit", ""))

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for networkx, nodes by their place, with the attributes that `from_networkx` reads, and `name`."""
        from partita.arrays import to_networkx

        return to_networkx(self)

    def on(self, platform: Platform | str | None) -> Graph:
        """The same graph on other devices."""
        return Graph(self._handle.on(handle_of(platform)))

    def save(self, path: str | os.PathLike) -> None:
        """Writes the graph with its costs and devices as a workload (docs/formats.md), which `read` gives back."""
        text = self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def to_json(self) -> str:
        """The graph as a workload's text."""
        self._require_costs()
        return self._handle.json()

    def _require_costs(self) -> None:
        if not self._handle.costed:
            raise InputError(
                f"{self._handle.path}: is a model, which has no costs of its own; say on which devices it is to run, "
                'as in Graph.read(path, platform="4xa100")'
            )

    def __len__(self) -> int:
        return len(self._handle)

    @property
    def name(self) -> str:
        """The file's own name, or that of the file."""
        return self._handle.name

    @property
    def path(self) -> str | None:
        """The file it was read from."""
        return self._handle.path or None

    @property
    def unit(self) -> str:
        """Of every time: "ms"; empty where nobody said."""
        return self._handle.unit

    @property
    def names(self) -> list[str]:
        """Of the nodes, in order."""
        return self._handle.names()

    @property
    def ops(self) -> list[str]:
        """What each node computes, "Conv"; empty where the file is silent."""
        return self._handle.ops()

    @property
    def ids(self) -> numpy.ndarray:
        """What plans call the nodes."""
        return self._handle.ids()

    @property
    def times(self) -> numpy.ndarray:
        """Of each node on an accelerator; or, where there are several classes of devices, one column for each."""
        self._require_costs()
        times = self._handle.times()
        runnable = times.min(axis=0, initial=float("inf")) < float("inf")
        return times[:, 0] if runnable[:1].all() and not runnable[1:].any() else times

    @property
    def memory(self) -> numpy.ndarray:
        """Bytes of each node."""
        return self._handle.memory()

    @property
    def colours(self) -> list[int | None]:
        """Nodes of one colour share a device; None: no colour."""
        return self._handle.colours()

    @property
    def layers(self) -> list[int | None]:
        """Which layer of the network a node is part of."""
        return self._handle.layers()

    @property
    def backward(self) -> numpy.ndarray:
        """Whether each node is of the backward pass."""
        return self._handle.backward().astype(bool)

    @property
    def edges(self) -> numpy.ndarray:
        """Pairs of places of nodes: from, to."""
        return self._handle.edges()

    @property
    def edge_costs(self) -> numpy.ndarray:
        """The time to move each edge's output between host memory and an accelerator."""
        return self._handle.edge_costs()

    @property
    def platform(self) -> Platform | None:
        """The devices that the graph has costs on."""
        return Platform._of_handle(self._handle.platform()) if self._handle.has_devices else None

    @property
    def notes(self) -> list[str]:
        """What the reader found odd and went on with."""
        return self._handle.notes

    @property
    def fingerprint(self) -> str:
        """By which a plan knows its graph."""
        return self._handle.fingerprint

    def __repr__(self) -> str:
        text = self._handle.describe()
        return f"Graph: {text.removeprefix('graph: ')}"

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"

    def __getstate__(self) -> dict:
        return {"text": self.to_json()}

    def __setstate__(self, state: dict) -> None:
        self._handle = library.Graph.parse(state["text"], "graph", None)


def as_graph(given: Graph | str | os.PathLike, **model: Any) -> Graph:
    """What an argument `graph` may be."""
    if isinstance(given, Graph):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Graph.read(given, **model)
    raise InputError(f"graph: found {type(given).__name__}; expected a Graph or a file's path")
