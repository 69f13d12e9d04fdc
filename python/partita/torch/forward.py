# SPDX-License-Identifier: Apache-2.0
"""A module's forward pass as a graph of operators, as `torch.export` captures it.

The graph is the one before autograd has taken operators apart: `aten.linear`, `aten.batch_norm`, ... So its operators
are those that a stage will run, batch norm updates its statistics in place, and it can be trained. Parameters and
buffers are placeholders; `State` says which.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from partita.errors import InputError
from partita.torch.package import torch_package, version


@dataclass(frozen=True)
class State:
    """What a placeholder stands for, when it is no input of the user's."""

    kind: str  # "parameter", "buffer" or "constant"
    name: str  # as in the module's state_dict


class Forward:
    """The captured forward pass.

    `graph_module(*values())` runs it; `state` says which placeholders are no inputs.
    """

    def __init__(self, module, args: tuple, kwargs: dict, program):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.program = program
        self.graph_module = program.graph_module
        self.graph = self.graph_module.graph
        self.out_spec = program.call_spec.out_spec
        self.state = _state(program)
        self.inputs = [node for node in self.graph.nodes if node.op == "placeholder" and node.name not in self.state]
        self.outputs = _user_outputs(self.graph, program.graph_signature)

    def tensor(self, name: str):
        """The module's own tensor behind a placeholder: its parameter, not a copy."""
        state = self.state[name]
        if state.kind == "constant":
            return self.program.constants[state.name]
        owner, _, leaf = state.name.rpartition(".")
        return getattr(self.module.get_submodule(owner), leaf)

    def operators(self) -> list:
        """The nodes that compute, in the order of the program."""
        return [node for node in self.graph.nodes if node.op == "call_function"]

    def values(self) -> list:
        """What the placeholders stand for, in their order."""
        flat = iter(flat_inputs(self.args, self.kwargs))
        return [self.tensor(node.name) if node.name in self.state else next(flat)
                for node in self.graph.nodes if node.op == "placeholder"]


def flat_inputs(args: tuple, kwargs: dict) -> list:
    from torch.utils import _pytree

    return _pytree.tree_leaves((args, kwargs))


def capture_forward(module, args, kwargs=None) -> Forward:
    """Captures `module(*args, **kwargs)`. Shapes are those of the arguments."""
    torch = torch_package("capturing a module")
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"module: found a {type(module).__name__}, expected a torch.nn.Module")
    if not isinstance(args, (tuple, list)):
        raise InputError(f"args: found a {type(args).__name__}, expected a tuple of the module's arguments; "
                         "for a single tensor x, (x,)")
    args, kwargs = tuple(args), _in_order_of_signature(module, dict(kwargs or {}))
    export = torch.export.export
    if version(torch) < (2, 7):  # until then `export` took operators apart; 2.4 has nothing else
        export = getattr(torch.export, "export_for_training", export)
    try:
        with torch.enable_grad():
            program = export(module, args, kwargs)
    except Exception as error:  # torch.export raises whatever the module's code runs into
        raise InputError(f"torch.export cannot capture {type(module).__name__}: {_reason(error)}; "
                         "change what it names, or profile and cut the module's parts instead") from error
    _refuse_changed_inputs(module, program)
    _update_buffers_in_place(program)
    return Forward(module, args, kwargs, program)


def module_path(node) -> str:
    """Where in the module an operator was called: "layers.0.attention"; empty for the outermost forward."""
    stack = node.meta.get("nn_module_stack") or {}
    entries = list(stack.values())
    return entries[-1][0].split("@")[0] if entries else ""  # "fc@1" is the second call of fc


def output_node(graph):
    """The last node; `Graph.output_node` came with torch 2.6."""
    return next(iter(reversed(graph.nodes)))


def _in_order_of_signature(module, kwargs: dict) -> dict:
    names = list(inspect.signature(module.forward).parameters)
    return dict(sorted(kwargs.items(), key=lambda item: names.index(item[0]) if item[0] in names else len(names)))


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}".rstrip(".;:")


def _state(program) -> dict[str, State]:
    kinds = {"PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant", "CUSTOM_OBJ": "constant"}
    return {spec.arg.name: State(kinds[spec.kind.name], spec.target)
            for spec in program.graph_signature.input_specs if spec.kind.name in kinds}


def _refuse_changed_inputs(module, program) -> None:
    for spec in program.graph_signature.output_specs:
        if spec.kind.name == "USER_INPUT_MUTATION":
            raise InputError(f"{type(module).__name__} changes its input {spec.target} in place, which stages cannot; "
                             "let it work on a copy")


def _update_buffers_in_place(program) -> None:
    """Functional graphs, those of old versions, return the new values of buffers: write them instead."""
    import torch

    graph, signature = program.graph_module.graph, program.graph_signature
    output = output_node(graph)
    changed = {spec.target: spec.arg.name for spec in signature.output_specs if spec.kind.name == "BUFFER_MUTATION"}
    if not changed:
        return
    nodes = {node.name: node for node in graph.nodes}
    place = {spec.target: spec.arg.name for spec in signature.input_specs if spec.kind.name == "BUFFER"}
    with graph.inserting_before(output):
        for target, value in changed.items():
            copy = graph.call_function(torch.ops.aten.copy_.default, (nodes[place[target]], nodes[value]))
            copy.meta = dict(nodes[value].meta)
    program.graph_module.recompile()


def _user_outputs(graph, signature) -> list:
    """The output node's arguments that are the module's outputs, in the order of its out_spec."""
    flat = list(output_node(graph).args[0])
    return [value for value, spec in zip(flat, signature.output_specs, strict=True) if spec.kind.name == "USER_OUTPUT"]
