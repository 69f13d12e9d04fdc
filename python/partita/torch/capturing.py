# SPDX-License-Identifier: Apache-2.0
"""A module as a workload's graph, without times: nodes, edges, bytes, colours and layers.

    graph = partita.torch.capture(module, (tokens,), training=True)
    print(len(graph.nodes), "nodes,", sum(node.weights for node in graph.nodes), "bytes of weights")

There is a node for each operator of the captured forward pass, named `module.path/operator`. In training there is one
for each operator's backward part too, `.../operator.backward`, with the colour of the forward node; one for each
gradient that is a sum, `....sum`, which may be anywhere; and `loss.forward`, `loss.backward`. All edges out of a node
move the same tensor. So a node with several results has a node that takes no time for each result, with its own
colour.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field

from partita.errors import InputError
from partita.torch.aliases import must_stay_together
from partita.torch.colours import Colours
from partita.torch.forward import Forward, capture_forward, module_path
from partita.torch.tensors import bytes_of, text_of

OPTIMIZER_STATE = {"adam": 2, "adamw": 2, "momentum": 1, "sgd": 0}  # tensors of a weight's size


@dataclass
class Node:
    """A node of a workload, all but its time; sizes in bytes."""

    name: str
    op: str
    backward: bool = False
    members: list = field(default_factory=list)  # nodes of the measured graph whose times are its time
    output: str = ""
    output_bytes: int = 0
    weights: int = 0
    gradients: int = 0
    optimizer_state: int = 0
    activation: int = 0
    colour: int | None = None
    layer: int | None = None


@dataclass
class Capture:
    """What `capture` found. `graph_module(*values)` runs it: the forward pass, or forward and backward."""

    name: str
    training: bool
    nodes: list[Node]
    edges: list[tuple[int, int]]
    layers: dict[int, str]
    graph_module: object
    values: list


def capture(module, args, kwargs=None, *, training: bool = False, loss=None, optimizer: str = "adam") -> Capture:
    """Captures `module(*args, **kwargs)`, for training with its backward pass.

    `loss` maps the module's output to a scalar; without it the backward pass begins at the outputs. `optimizer` is
    adam, adamw, momentum or sgd, and says how much state is kept for each weight.
    """
    if optimizer not in OPTIMIZER_STATE:
        raise InputError(f"optimizer: found {optimizer!r}, expected one of {', '.join(OPTIMIZER_STATE)}")
    if loss is not None and not training:
        raise InputError("loss: given, but training is not: say training=True, or leave the loss out")
    return capture_of(capture_forward(module, args, kwargs), training=training, loss=loss, optimizer=optimizer)


def capture_of(forward: Forward, *, training: bool = False, loss=None, optimizer: str = "adam") -> Capture:
    """The same for a forward pass that was captured already."""
    graph = _Graph(forward)
    graph.add_forward()
    colours = Colours(must_stay_together(forward.graph, forward.state, type(forward.module).__name__))
    layers = _Layers()
    for node, place in graph.place.items():
        graph.nodes[place].layer = layers.of(node)
    graph.add_weights(training, OPTIMIZER_STATE[optimizer], colours)
    graph_module, values = forward.graph_module, forward.values()
    if training:
        from partita.torch.backward import add_backward
        from partita.torch.joint import trace_joint

        joint = trace_joint(forward, loss)
        add_backward(graph, joint, colours)
        graph_module, values = joint.graph_module, joint.values
    else:
        for node, place in graph.place.items():
            graph.nodes[place].members = [node.name]
    colours.number(graph)
    nodes, edges = graph.in_order()
    return Capture(type(forward.module).__name__, training, nodes, edges, layers.names, graph_module, values)


class _Graph:
    """The workload's graph while it grows."""

    def __init__(self, forward: Forward):
        self.forward = forward
        self.nodes: list[Node] = []
        self.edges: set[tuple[int, int]] = set()
        self.place: dict = {}  # node of the forward graph: its position in `nodes`
        self.result_of: dict[int, int] = {}  # node for one of several results: the node that makes them

    def add(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def add_forward(self) -> None:
        for node in [*self.forward.inputs, *self.forward.operators()]:
            value = node.meta.get("val")
            if node.op == "placeholder" and (not hasattr(value, "dtype") or not node.users):
                continue  # a number, which the graph has taken up, or nothing that anybody reads
            path = module_path(node)
            self.place[node] = self.add(Node(
                name=f"{path}/{node.name}" if path else node.name, op=op_name(node), output=text_of(value),
                output_bytes=bytes_of(value)))
        for node in self.forward.operators():
            sources = [source for source in node.all_input_nodes if source in self.place]
            self.edges |= {(self.place[source], self.place[node]) for source in sources}

    def add_weights(self, training: bool, state_tensors: int, colours: Colours) -> None:
        """Bytes of parameters and buffers, at the operators that read them.

        A parameter that is trained and has several readers is on one device. In inference every stage may have a
        copy, so each reader has its bytes. Buffers are with the first reader.
        """
        for placeholder in self.forward.graph.nodes:
            state = self.forward.state.get(placeholder.name) if placeholder.op == "placeholder" else None
            readers = [user for user in placeholder.users if user in self.place] if state else []
            if not readers:
                continue
            size = bytes_of(placeholder.meta.get("val"))
            is_parameter = state.kind == "parameter"
            trained = training and is_parameter and self.forward.tensor(placeholder.name).requires_grad
            for reader in readers if is_parameter and not training else readers[:1]:
                node = self.nodes[self.place[reader]]
                node.weights += size
                node.gradients += size if trained else 0
                node.optimizer_state += size * state_tensors if trained else 0
            if trained and len(readers) > 1:
                colours.join(readers)


    def in_order(self) -> tuple[list[Node], list[tuple[int, int]]]:
        """Nodes and edges, with each result behind what makes it."""
        order = sorted(range(len(self.nodes)), key=lambda place: (self.result_of.get(place, place), place))
        new = {old: place for place, old in enumerate(order)}
        return [self.nodes[old] for old in order], sorted((new[a], new[b]) for a, b in self.edges)


def op_name(node) -> str:
    """What a node of a graph computes: "input", "getitem", "aten.linear.default"."""
    if node.op == "placeholder":
        return "input"
    return "getitem" if node.target is operator.getitem else str(node.target)


class _Layers:
    """Layers by the names of modules: members of lists of modules (`layers.3`), else what the module names itself."""

    def __init__(self):
        self.names: dict[int, str] = {}
        self.numbers: dict[str, int] = {}

    def of(self, node) -> int | None:
        """The layer's number, None for what the outermost forward computes itself: it belongs to no layer."""
        parts = module_path(node).split(".")
        if parts == [""]:
            return None
        in_list = next((i for i, part in enumerate(parts) if part.isdigit()), 0)
        name = ".".join(parts[:in_list + 1])
        number = self.numbers.setdefault(name, len(self.numbers))
        self.names[number] = name
        return number
