# SPDX-License-Identifier: Apache-2.0
"""Cuts a model into stages: each node runs in the stage that it is given, and what crosses a cut keeps its name.

A stage reads what its nodes, and the bodies in them, read and others make; it makes what later stages or the model's
users read. Weights are in every stage that reads them. Nodes are copied as they are, so results are equal bit for bit
when nothing is optimised afterwards. Works on models of the package onnx, in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from partita.errors import InputError
from partita.onnx.runtime import onnx_package


def inner_graphs(node):
    """The bodies of If, Loop, Scan and the like."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def reads(node) -> list[str]:
    """Names of all values that a node reads: its inputs, and what its bodies capture."""
    found = dict.fromkeys(name for name in node.input if name)
    for body in inner_graphs(node):
        found.update(dict.fromkeys(_captured(body)))
    return list(found)


def _captured(graph) -> list[str]:
    own = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    own |= {tensor.values.name for tensor in graph.sparse_initializer}
    found = {}
    for node in graph.node:
        found.update(dict.fromkeys(name for name in reads(node) if name not in own))
        own.update(node.output)
    found.update(dict.fromkeys(value.name for value in graph.output if value.name not in own))
    return list(found)


@dataclass
class CutStage:
    """One stage: its model, and the names of what it reads (with the stage that makes it, None: given) and makes."""

    model: object
    inputs: dict[str, int | None]
    outputs: list[str]
    optional: list[str] = field(default_factory=list)  # initializers that are inputs of the model too
    nodes: int = 0
    recomputed: int = 0
    weight_bytes: int = 0


class Cutter:
    """`stage_of`: for each node of the model, by its place, the stages that run it, ascending: more than one where it
    is computed again instead of being sent, none where it is left out."""

    def __init__(self, model, stage_of: list[list[int]], stages: int, chain: bool = False):
        self.model, self.graph = model, model.graph
        self.stage_of, self.stages, self.chain = stage_of, stages, chain
        self.weights = {tensor.name: tensor for tensor in self.graph.initializer}
        self.sparse = {tensor.values.name: tensor for tensor in self.graph.sparse_initializer}
        self.given = [value.name for value in self.graph.input]
        self.results = [value.name for value in self.graph.output]
        self.types = {v.name: v for v in (*self.graph.value_info, *self.graph.input, *self.graph.output)}
        self.maker = {}  # of a value: the first stage that computes it
        self.own = [set() for _ in range(stages)]  # values that a stage computes itself
        for node, where in zip(self.graph.node, stage_of):
            for stage in where:
                self.own[stage].update(name for name in node.output if name)
            if where:
                self.maker.update((name, where[0]) for name in node.output if name)

    def cut(self) -> list[CutStage]:
        sources = self._sources()
        sent = self._sent(sources)
        return [self._stage(stage, sources[stage], sent[stage]) for stage in range(self.stages)]

    def _is_weight(self, name: str) -> bool:
        return name in self.weights or name in self.sparse

    def _sources(self) -> list[dict]:
        """For each stage what it reads and does not make: name to the stage that it comes from, or None."""
        wanted = [{} for _ in range(self.stages)]
        for node, where in zip(self.graph.node, self.stage_of):
            for stage in where:
                for name in reads(node):
                    if not self._is_weight(name) and name not in self.own[stage]:
                        wanted[stage][name] = self._source(name, stage)
        for name in self.results:  # what is handed through belongs to the first stage
            if name not in self.maker and not self._is_weight(name):
                wanted[0][name] = None
        if not self.chain:
            return wanted
        last = self.stages - 1
        ends = [(name, stage) for stage in range(self.stages) for name in wanted[stage]]
        ends += [(name, last) for name in self.results if last not in self._computed_in(name)]
        for name, stage in ends:
            first = self.maker.get(name, 0)  # given values and weights start at the first stage
            for between in range(first + 1, stage + 1):
                if name not in self.own[between]:
                    wanted[between][name] = between - 1
            if name not in self.maker and not self._is_weight(name):
                wanted[0][name] = None
        return wanted

    def _computed_in(self, name: str) -> list[int]:
        return [stage for stage in range(self.stages) if name in self.own[stage]]

    def _source(self, name: str, reader: int) -> int | None:
        if name in self.maker:
            if self.maker[name] >= reader:
                raise InputError(
                    f"stage {reader} reads {name!r}, which is made in stage {self.maker[name]}; expected stages that "
                    "can run one after the other"
                )
            return self.maker[name]
        if name in self.given:
            return None
        raise InputError(f"{name!r} is read, but nothing makes it; expected a model that onnx.checker accepts")

    def _sent(self, sources: list[dict]) -> list[list[str]]:
        """For each stage what others read of it, in the order in which it is made."""
        wanted = [dict() for _ in range(self.stages)]
        for one in sources:
            for name, source in one.items():
                if source is not None:
                    wanted[source][name] = None
        for name in self.results:
            wanted[self.stages - 1 if self.chain else self.maker.get(name, 0)][name] = None
        place = {name: i for i, name in enumerate(n for node in self.graph.node for n in node.output)}
        return [sorted(names, key=lambda name: place.get(name, -1)) for names in wanted]

    def _stage(self, stage: int, sources: dict, sent: list[str]) -> CutStage:
        onnx = onnx_package("cutting a model")
        made = type(self.model)()
        made.CopyFrom(_without_graph(self.model))
        graph = made.graph
        graph.name = f"{self.graph.name}_{stage}"
        graph.doc_string = self.graph.doc_string
        graph.metadata_props.extend(self.graph.metadata_props)
        nodes = [node for node, where in zip(self.graph.node, self.stage_of) if stage in where]
        graph.node.extend(nodes)
        read = dict.fromkeys(name for node in nodes for name in reads(node))
        read.update(dict.fromkeys(name for name in sent if self._is_weight(name) and name not in sources))
        held = [name for name in read if self._is_weight(name)]
        graph.initializer.extend(self.weights[name] for name in held if name in self.weights)
        graph.sparse_initializer.extend(self.sparse[name] for name in held if name in self.sparse)
        optional = [name for name in held if name in self.given]
        order = {name: i for i, name in enumerate(self.given)}
        inputs = dict(sorted(sources.items(), key=lambda one: order.get(one[0], len(order))))
        for name in (*inputs, *optional):
            graph.input.append(self._typed(name))
        for name in sent:
            graph.output.append(self._typed(name))
        known = {name for node in nodes for name in node.output} - set(sent)
        graph.value_info.extend(v for v in self.graph.value_info if v.name in known)
        there = known | set(sent) | set(inputs) | set(held)
        graph.quantization_annotation.extend(a for a in self.graph.quantization_annotation if a.tensor_name in there)
        made.functions.extend(_functions_of(self.model, nodes))
        again = sum(1 for where in self.stage_of if stage in where and len(where) > 1)
        size = sum(_bytes(onnx, self.weights[name]) for name in held if name in self.weights)
        return CutStage(made, inputs, sent, optional, len(nodes), again, size)

    def _typed(self, name: str):
        """The type of what crosses a cut, as the file says it."""
        onnx = onnx_package("cutting a model")
        value = self.types.get(name)
        if value is not None and value.type.WhichOneof("value"):
            return value
        if name in self.weights:
            tensor = self.weights[name]
            return onnx.helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims))
        if name in self.sparse:
            tensor = self.sparse[name]
            return onnx.helper.make_tensor_value_info(name, tensor.values.data_type, list(tensor.dims))
        raise InputError(
            f"the type of {name!r}, which crosses a cut, is not known; give the model value_info, as "
            "partita.onnx.optimise does"
        )


def _without_graph(model):
    """All that stages share: versions, opset imports, metadata."""
    head = type(model)()
    for descriptor, value in model.ListFields():
        if descriptor.name in ("graph", "functions", "training_info"):
            continue
        if isinstance(value, (int, str, bytes)):
            setattr(head, descriptor.name, value)
        else:
            getattr(head, descriptor.name).extend(value)
    return head


def _functions_of(model, nodes) -> list:
    """The functions that nodes call, also from bodies and from other functions."""
    by_name = {(f.domain, f.name): f for f in model.functions}
    found, waiting = {}, list(nodes)
    while waiting:
        node = waiting.pop()
        key = (node.domain, node.op_type)
        if key in by_name and key not in found:
            found[key] = by_name[key]
            waiting.extend(by_name[key].node)
        for body in inner_graphs(node):
            waiting.extend(body.node)
    return [f for f in model.functions if (f.domain, f.name) in found]


def _bytes(onnx, tensor) -> int:
    """Bytes of a weight, wherever it is stored."""
    count = 1
    for extent in tensor.dims:
        count *= extent
    if tensor.data_type == onnx.TensorProto.STRING:
        return sum(len(text) for text in tensor.string_data)
    kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    return count * kind.itemsize
