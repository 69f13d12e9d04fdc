# SPDX-License-Identifier: Apache-2.0
"""Graphs out of arrays and of networkx, and back. Shapes and values are checked here, with the place that is wrong."""

from __future__ import annotations

from typing import Any

from partita.compiled import library
from partita.errors import InputError, needs
from partita.platform import as_platform


def _numpy():
    try:
        import numpy
    except ImportError:
        raise needs("numpy", "a graph of arrays") from None
    return numpy


def _numbers(values: Any, argument: str, dimensions: tuple[int, ...], dtype: str = "float64"):
    numpy = _numpy()
    try:
        array = numpy.ascontiguousarray(values, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise InputError(f"{argument}: found what is no array of numbers ({error}); expected one number each") from None
    if array.ndim not in dimensions:
        expected = " or ".join(map(str, dimensions))
        raise InputError(f"{argument}: found an array of {array.ndim} dimensions; expected {expected}")
    return array


def _of_length(values: Any, argument: str, count: int, of: str = "nodes"):
    if len(values) != count:
        raise InputError(f"{argument}: found {len(values)} entries for {count} {of}; expected one each")
    return values


def _require_columns(columns: int, platform: Any) -> None:
    classes = [] if platform is None else platform.classes
    if classes and columns != len(classes):
        names = ", ".join(one.name for one in classes)
        raise InputError(f"times: found {columns} columns; expected one for each class of the platform: {names}")
    if not classes and columns > 2:
        raise InputError(
            f"times: found {columns} columns; expected 1 (accelerators) or 2 (accelerators and hosts), or a platform "
            "with as many classes"
        )


def node_arrays(
    times, edges, edge_costs, *, platform=None, memory=None, names=None, colours=None, layers=None, backward=None,
    ops=None,
):
    """The arguments of Graph.from_arrays, checked, as the compiled module takes them."""
    numpy = _numpy()
    times = _numbers(times, "times", (1, 2))
    times = numpy.ascontiguousarray(times.reshape(len(times), -1))
    count = len(times)
    _require_columns(times.shape[1] if count else 1, as_platform(platform))
    ends = numpy.asarray(edges)
    if ends.size and ends.dtype.kind not in "iu":
        raise InputError(f"edges: found {ends.dtype}; expected whole numbers, the places of two nodes for each edge")
    ends = numpy.ascontiguousarray(ends.reshape(-1, 2) if ends.size == 0 else ends, dtype="int64")
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError(f"edges: found an array of shape {ends.shape}; expected a pair of places for each edge")
    if ends.size and (ends.min() < 0 or ends.max() >= count):
        wrong = int(ends[(ends < 0) | (ends >= count)][0])
        raise InputError(f"edges: found the place {wrong} for {count} nodes; expected 0 to {count - 1}")
    costs = numpy.zeros(len(ends)) if edge_costs is None else _numbers(edge_costs, "edge_costs", (1,))
    _of_length(costs, "edge_costs", len(ends), "edges")

    nodes = library.NodeArrays()
    nodes.times = times
    if memory is not None:
        nodes.memory = _of_length(_numbers(memory, "memory", (1,)), "memory", count)
    if backward is not None:
        nodes.backward = _of_length(_numbers(backward, "backward", (1,), "bool"), "backward", count)
    for argument, values in (("names", names), ("ops", ops)):
        if values is not None:
            setattr(nodes, argument, [str(value) for value in _of_length(values, argument, count)])
    for argument, values in (("colours", colours), ("layers", layers)):
        if values is not None:
            whole = [None if value is None else int(value) for value in _of_length(values, argument, count)]
            setattr(nodes, argument, whole)
    return nodes, ends, costs


def of_networkx(graph) -> dict[str, Any]:
    """The arguments of Graph.from_arrays for a graph of networkx."""
    place = {node: i for i, node in enumerate(graph.nodes)}
    times = []
    for node, attributes in graph.nodes(data=True):
        if "time" not in attributes:
            raise InputError(f"node {node!r}: has no attribute 'time'; expected one, or one for each class of devices")
        times.append(attributes["time"])

    def column(name, default):
        values = [attributes.get(name, default) for _, attributes in graph.nodes(data=True)]
        return None if all(value == default for value in values) else values

    return {
        "times": times,
        "edges": [(place[a], place[b]) for a, b in graph.edges],
        "edge_costs": [cost for _, _, cost in graph.edges(data="cost", default=0.0)],
        "memory": column("memory", 0.0),
        "names": [str(attributes.get("name", node)) for node, attributes in graph.nodes(data=True)],
        "colours": column("colour", None),
        "layers": column("layer", None),
        "backward": column("backward", False),
        "ops": column("op", ""),
        "name": graph.name or "graph",
    }


def to_networkx(graph):
    """The graph as a DiGraph of networkx."""
    try:
        import networkx
    except ImportError:
        raise needs("networkx", "Graph.to_networkx", "notebook") from None
    result = networkx.DiGraph(name=graph.name, unit=graph.unit)
    columns = zip(graph.names, graph.times, graph.memory, graph.colours, graph.layers, graph.backward, graph.ops)
    for place, (name, time, memory, colour, layer, backward, op) in enumerate(columns):
        time = float(time) if time.ndim == 0 else [float(one) for one in time]
        result.add_node(place, name=name, time=time, memory=float(memory), backward=bool(backward), op=op)
        if colour is not None:
            result.nodes[place]["colour"] = colour
        if layer is not None:
            result.nodes[place]["layer"] = layer
    for (a, b), cost in zip(graph.edges.tolist(), graph.edge_costs.tolist()):
        result.add_edge(a, b, cost=cost)
    return result
