# SPDX-License-Identifier: Apache-2.0
"""`partita.torch.stages`: a module cut into the stages of a plan.

A stage is a `torch.fx.GraphModule` of the operators that the plan gives it, in the order of the program. It has the
module's own parameters and buffers, under their own names, and those alone that it reads. It takes what the stage
before it returns: besides what it reads itself, whatever later stages read. So stages are a chain, in which each
sends to the next one only.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.utils import _pytree

from partita.errors import InputError
from partita.torch.boundary import FromCarrier, Tie, ToCarrier, carrier_dtype, inverse, sending_order
from partita.torch.forward import Forward, capture_forward
from partita.torch.gradients import nodes_with_gradient
from partita.torch.placement import stage_of_nodes


@dataclass(frozen=True)
class Passed:
    """A tensor at the border of a stage: passed from one to the next, or the pipeline's input or output."""

    name: str  # of the operator that makes it
    shape: tuple[int, ...]  # as it is sent
    dtype: torch.dtype
    gradient: bool  # whether it has one

    def example(self, device="cpu") -> torch.Tensor:
        return torch.zeros(self.shape, dtype=self.dtype, device=device, requires_grad=self.gradient)


def stages(module, args, plan, kwargs=None, *, training: bool | None = None) -> list[torch.fx.GraphModule]:
    """Cuts `module` into the stages of `plan`, a file of `partita plan -o` or its content.

    `args` and `kwargs` are an example of what the module is called with: a microbatch, where batches are cut into
    those. The first stage is called like the module, the others with what the stage before them returned; the last
    one returns what the module returns. With `training` (default: what the module's own `training` says) tensors
    without gradient are passed on such that pipelines can train. Each stage has `passed_in` and `passed_on`: the
    tensors at its borders.

        first, second = partita.torch.stages(module, (x,), "plan.json")
        assert torch.equal(second(*first(x)), module(x))    # first(x) is a tuple
    """
    return cut(capture_forward(module, args, kwargs), plan, training=training)


def cut(forward: Forward, plan, *, training: bool | None = None) -> list[torch.fx.GraphModule]:
    """The same for a forward pass that was captured already."""
    _check_inputs_are_tensors(forward)
    stage, count = stage_of_nodes(plan, forward)
    training = forward.module.training if training is None else training
    whole = _Cut(forward, stage, count, nodes_with_gradient(forward) if training else None)
    return [whole.build(place) for place in range(count)]


def run_chain(parts, *args, **kwargs):
    """Runs stages one after the other, here: `run_chain(stages, x)` is `module(x)`."""
    value = parts[0](*args, **kwargs)
    for part in parts[1:]:
        value = part(*value)
    return value


def _check_inputs_are_tensors(forward: Forward) -> None:
    given = {**{f"argument {i}": value for i, value in enumerate(forward.args)}, **forward.kwargs}
    for name, value in given.items():
        if isinstance(value, (dict, list, tuple)):
            raise InputError(f"{name}: found a {type(value).__name__}; a pipeline's first stage takes tensors: wrap "
                             "the module in one whose forward takes them one by one")


class _Cut:
    """The borders of all stages, and the graphs between them."""

    def __init__(self, forward: Forward, stage: dict, count: int, with_gradient: set | None):
        self.forward = forward
        self.stage = stage
        self.count = count
        self.training = with_gradient is not None
        self.inert = set(forward.graph.nodes) - with_gradient if self.training else set()  # what has no gradient
        self.saved = set(forward.module.state_dict())
        self.values = [*forward.inputs, *forward.operators()]  # in the order of the program
        self.borders = [self._border(place) for place in range(count - 1)]

    def _made_in(self, node) -> int:
        return self.stage.get(node, 0)  # inputs come in at the first stage

    def _read_until(self, node) -> int:
        """The last stage that needs a value."""
        last = max((self.stage[user] for user in node.users if user in self.stage), default=-1)
        return self.count - 1 if any(output is node for output in self.forward.outputs) else last

    def _border(self, place: int) -> list:
        """The values that pass from stage `place` to the next one."""
        passed = [node for node in self.values if self._made_in(node) <= place < self._read_until(node)]
        for node in passed:
            if not isinstance(node.meta.get("val"), torch.Tensor):
                raise InputError(f"{node.name} passes from stage {place} to {place + 1}, but is no tensor; "
                                 "plan with its reader in the same stage")
        if not passed:
            raise InputError(f"no tensor passes from stage {place} to {place + 1}: these parts of the module do not "
                             "depend on each other; plan with fewer devices")
        return passed

    def _border_of(self, place: int) -> tuple[Passed, ...]:
        """The tensors between stage `place` and the next; before the first the inputs, behind the last the outputs."""
        if not 0 <= place < self.count - 1:
            ends = self.forward.inputs if place < 0 else self.forward.outputs
            ends = [node for node in ends if isinstance(getattr(node, "meta", {}).get("val"), torch.Tensor)]
            return tuple(Passed(node.name, _sizes(node.meta["val"].shape), node.meta["val"].dtype,
                                self.training and node not in self.inert and place >= 0) for node in ends)
        passed = []
        for node in self.borders[place]:
            value, order = node.meta["val"], sending_order(node.meta["val"])
            shape = [value.shape[i] for i in order] if order else value.shape
            dtype = carrier_dtype(value.dtype) if node in self.inert else value.dtype
            passed.append(Passed(node.name, _sizes(shape), dtype, self.training))
        return tuple(passed)

    def build(self, place: int) -> torch.fx.GraphModule:
        """The stage at a place of the pipeline."""
        part = _Part(self, place)
        part.take_in()
        part.compute()
        part.pass_on()
        built = torch.fx.GraphModule(part.attributes, part.graph, f"{type(self.forward.module).__name__}Stage{place}")
        for name in part.not_saved:
            _leave_out_of_state(built, name)
        built.passed_in, built.passed_on = self._border_of(place - 1), self._border_of(place)
        built.train(self.forward.module.training)
        return built


def _sizes(shape) -> tuple[int, ...]:
    return tuple(int(size) for size in shape)


def _leave_out_of_state(built, name: str) -> None:
    """Constants and buffers that the module does not save are not in a stage's state_dict either."""
    owner, _, leaf = name.rpartition(".")
    owner = built.get_submodule(owner)
    value = getattr(owner, leaf)
    delattr(owner, leaf)
    owner.register_buffer(leaf, value, persistent=False)


class _Part:
    """One stage while it is built."""

    def __init__(self, cut: _Cut, place: int):
        self.cut = cut
        self.place = place
        self.graph = torch.fx.Graph()
        self.attributes: dict = {}  # what the graph refers to by name
        self.not_saved: list[str] = []  # buffers among them that are not in the module's state_dict
        self.here: dict = {}  # value of the whole graph: the same in this one
        self.carriers: dict = {}  # likewise, as it came in
        self.is_last = place == cut.count - 1

    def take_in(self) -> None:
        if self.place == 0:
            for node in self.cut.forward.inputs:
                self.here[node] = self.graph.placeholder(node.name)
            return
        for node in self.cut.borders[self.place - 1]:
            came = self.graph.placeholder(node.name)
            self.carriers[node] = came
            needed = self.is_last or any(self.cut.stage.get(user) == self.place for user in node.users)
            if needed:
                self.here[node] = self._unpacked(node, came)

    def _unpacked(self, node, came):
        if node in self.cut.inert:
            came = self._call("from_carrier", FromCarrier(node.meta["val"].dtype), came)
        order = sending_order(node.meta["val"])
        return self.graph.call_function(torch.ops.aten.permute.default, (came, list(inverse(order)))) if order else came

    def _packed(self, node):
        value = self.here[node]
        order = sending_order(node.meta["val"])
        if order:
            value = self.graph.call_function(torch.ops.aten.permute.default, (value, list(order)))
        # What is contiguous already is not copied. Strides may differ from the captured ones behind a border.
        value = self.graph.call_function(torch.ops.aten.contiguous.default, (value,))
        return self._call("to_carrier", ToCarrier(), value) if node in self.cut.inert else value

    def compute(self) -> None:
        for node in self.cut.forward.graph.nodes:
            if node.op == "call_function" and self.cut.stage[node] == self.place:
                self.here[node] = self.graph.node_copy(node, self._find)

    def _find(self, node):
        """A value of the whole graph in this one; parameters, buffers and inner graphs are brought here."""
        if node not in self.here:
            if node.op == "get_attr":
                name, found = node.target, getattr(self.cut.forward.graph_module, node.target)
            else:
                state = self.cut.forward.state[node.name]
                name, found = state.name, self.cut.forward.tensor(node.name)
                if state.kind != "parameter" and isinstance(found, torch.Tensor) and name not in self.cut.saved:
                    self.not_saved.append(name)
            self.attributes[name] = found
            self.here[node] = self.graph.get_attr(name)
        return self.here[node]

    def pass_on(self) -> None:
        if self.is_last:
            results = [self._find(value) if isinstance(value, torch.fx.Node) else value
                       for value in self.cut.forward.outputs]
        else:
            border = self.cut.borders[self.place]
            results = [self.carriers[node] if node in self.carriers else self._packed(node) for node in border]
        self._tie(results)
        value = _pytree.tree_unflatten(results, self.cut.forward.out_spec) if self.is_last else tuple(results)
        self.graph.output(value)

    def _tie(self, results: list) -> None:
        """Gives what ends here a gradient in any case: of zeros, where nothing that is differentiated reads it.

        What is passed on gets its gradient from the next stage, so one result is enough to tie to, except in the last
        stage, where the loss may leave out some outputs.
        """
        onward = [] if self.is_last else self.cut.borders[self.place]
        ending = [came for node, came in self.carriers.items() if node not in onward]
        if not ending or not self.cut.training:
            return
        if not self.is_last:
            results[0] = self._call("tie", Tie(), results[0], *ending)
            return
        for i, node in enumerate(self.cut.forward.outputs):
            if isinstance(node, torch.fx.Node) and node not in self.cut.inert:
                results[i] = self._call("tie", Tie(), results[i], *ending)

    def _call(self, kind: str, module, *values):
        name = f"partita_{kind}_{sum(key.startswith(f'partita_{kind}_') for key in self.attributes)}"
        self.attributes[name] = module
        return self.graph.call_module(name, values)
