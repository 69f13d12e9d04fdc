# SPDX-License-Identifier: Apache-2.0
"""The joint graph of forward and backward pass, in which every operator knows whose it is.

Like AOTAutograd we trace the forward pass and `torch.autograd.grad` behind it with `make_fx`, on tensors without
memory. Unlike it we trace the graph of `torch.export` node by node and do not make it functional: stages run with
plain autograd, so these are their operators. While a node runs, what is traced is its forward part. Each autograd
function that it leaves behind gets hooks that say when it runs: what is traced between them is the node's backward
part. What is traced outside of all hooks adds up gradients of a tensor that has several readers.
"""

from __future__ import annotations

from dataclasses import dataclass

from partita.errors import InputError
from partita.torch.forward import Forward

LOSS = "<loss>"  # the owner of what the loss is made of; no node of a graph can have that name
OWNER = "partita_owner"


@dataclass(frozen=True)
class Owner:
    """Whose a traced operator is: part of a node's "forward" or "backward", or a "sum" of its output's gradients."""

    part: str
    node: str


class Joint:
    """The traced graph. `values` is what to call it with: parameters, buffers, inputs, gradients of the outputs."""

    def __init__(self, graph_module, values: list, placeholders: dict):
        self.graph_module = graph_module
        self.graph = graph_module.graph
        self.values = values
        self.placeholders = placeholders  # node of this graph: placeholder of the forward graph (its name), or None
        self.owner = {node: node.meta[OWNER] for node in self.graph.nodes if node.op not in ("placeholder", "output")}


class _Tracer:
    """Marks what is traced with its owner: everything new since the last change of owner."""

    def __init__(self):
        self.owner = None
        self.claimed = {}  # autograd functions, which also keeps them alive

    def become(self, owner) -> None:
        from torch.fx.experimental.proxy_tensor import get_proxy_mode

        for node in reversed(get_proxy_mode().tracer.graph.nodes):
            if OWNER in node.meta:
                break
            node.meta[OWNER] = self.owner
        self.owner = owner

    def claim(self, result, name: str) -> None:
        """Hooks on the autograd functions that a node has left behind."""
        from torch.utils import _pytree

        waiting = [getattr(tensor, "grad_fn", None) for tensor in _pytree.tree_leaves(result)]
        while waiting:
            function = waiting.pop()
            if function is None or function in self.claimed:
                continue
            self.claimed[function] = name
            if type(function).__name__ == "AccumulateGrad":
                continue
            function.register_prehook(lambda grads, name=name: self.become(Owner("backward", name)))
            function.register_hook(lambda given, taken, name=name: self.become(Owner("sum", name)))
            waiting += [source for source, _ in function.next_functions]


def trace_joint(forward: Forward, loss=None) -> Joint:
    """Traces forward and backward pass of all parameters that are trained.

    `loss` maps the module's output to a scalar; without it, backward begins at the outputs, with given gradients.
    """
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    values = [value.detach().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value
              for value in forward.values()]
    if not any(isinstance(value, torch.nn.Parameter) or getattr(value, "requires_grad", False) for value in values):
        raise InputError(f"{type(forward.module).__name__} has no parameter that is trained (requires_grad); "
                         "profile it for inference")
    starts = [] if loss else [value.meta["val"] for value in _differentiable_outputs(forward)]
    starts = [torch.ones(value.shape, dtype=value.dtype, device=value.device) for value in starts]
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fake = [mode.from_tensor(value, static_shapes=True) if isinstance(value, torch.Tensor) else value
            for value in [*values, *starts]]
    tracer = _Tracer()
    with torch.enable_grad(), torch.autograd.set_multithreading_enabled(False):
        graph_module = make_fx(_joint_function(forward, loss, len(values), tracer))(*fake)
    names = [node.name for node in forward.graph.nodes if node.op == "placeholder"]
    own = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    return Joint(graph_module, [*values, *starts], dict(zip(own, names + [None] * len(starts), strict=True)))


def _differentiable_outputs(forward: Forward) -> list:
    found = [value for value in forward.outputs if hasattr(value, "meta") and value.meta["val"].dtype.is_floating_point]
    if not found:
        raise InputError(f"{type(forward.module).__name__} has no floating-point output: there is nothing to train")
    return found


def _joint_function(forward: Forward, loss, count: int, tracer: _Tracer):
    import torch
    from torch.utils import _pytree

    kept = [value.name for value in forward.outputs if hasattr(value, "meta")]

    class Run(torch.fx.Interpreter):
        def __init__(self):
            super().__init__(forward.graph_module)
            self.kept = {}

        def run_node(self, node):
            if node.op == "call_function":
                tracer.become(Owner("forward", node.name))
            result = super().run_node(node)
            tracer.claim(result, node.name)
            if node.name in kept:
                self.kept[node.name] = result
            return result

    def joint(*flat):
        tracer.become(None)
        run = Run()
        run.run(*flat[:count])
        outputs = [run.kept[value.name] if hasattr(value, "meta") else value for value in forward.outputs]
        wanted = [value for value in flat[:count] if isinstance(value, torch.Tensor) and value.requires_grad]
        tracer.become(Owner("forward", LOSS))
        if loss:
            ends, starts = [loss(_pytree.tree_unflatten(outputs, forward.out_spec))], None
            _check_loss(ends[0])
            tracer.claim(ends[0], LOSS)
        else:
            named = [value.name for value in _differentiable_outputs(forward)]
            pairs = [(run.kept[name], start) for name, start in zip(named, flat[count:], strict=True)]
            pairs = [(end, start) for end, start in pairs if end.requires_grad]
            ends, starts = [end for end, _ in pairs], [start for _, start in pairs]
        tracer.become(Owner("backward", LOSS))
        grads = torch.autograd.grad(ends, wanted, starts, allow_unused=True)
        tracer.become(None)
        return [*outputs, *grads]

    return joint


def _check_loss(value) -> None:
    import torch

    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        found = f"a tensor of shape {list(value.shape)}" if isinstance(value, torch.Tensor) else type(value).__name__
        raise InputError(f"loss: returned {found}, expected a tensor with one number")
