# SPDX-License-Identifier: Apache-2.0
"""The time of each operator of a captured graph, while the graph runs once on real tensors.

Operators that do the same (target, shapes, strides, types, other arguments) are timed once. Views cost nothing: a
result in the memory of an argument that the operator does not write to is one.
"""

from __future__ import annotations

import operator

from partita.torch.aliases import changed_arguments
from partita.torch.stopwatch import Timing
from partita.torch.tensors import tensors_in

NOTHING = Timing(0.0, 0.0)


def time_operators(graph_module, values: list, stopwatch, progress=None) -> tuple[dict[str, Timing], int]:
    """Timings by name of node, and how many distinct operators there are. `progress` is called with (done, all)."""
    import torch

    known: dict = {}
    timings: dict[str, Timing] = {}
    nodes = len(graph_module.graph.nodes)

    class Run(torch.fx.Interpreter):
        def run_node(self, node):
            if node.op != "call_function":
                return super().run_node(node)
            args, kwargs = self.fetch_args_kwargs_from_env(node)
            changed = changed_arguments(node.target, args, kwargs)
            key = None if node.target is operator.getitem else _key(node.target, args, kwargs)
            if key is not None and key not in known and changed:
                known[key] = _time(node.target, *_copies(args, kwargs, changed), stopwatch)
            result = super().run_node(node)
            if key is None or (not changed and _is_view(result, args, kwargs)):
                timings[node.name] = NOTHING
            else:
                if key not in known:
                    known[key] = _time(node.target, args, kwargs, stopwatch)
                timings[node.name] = known[key]
            if progress is not None:
                progress(len(timings), nodes)
            return result

    with torch.no_grad():
        Run(graph_module).run(*_own_buffers(graph_module, values))
    return timings, len(known)


def time_whole(graph_module, values: list, stopwatch) -> Timing:
    """The time of the whole graph."""
    import torch

    own = _own_buffers(graph_module, values)
    with torch.no_grad():
        return stopwatch.measure(lambda: graph_module(*own))


def _own_buffers(graph_module, values: list) -> list:
    """The values, with copies of those that the graph changes: nothing of the user's is written to."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    changed = set()
    for node in graph_module.graph.nodes:
        if node.op == "call_function":
            changed.update(one for value in changed_arguments(node.target, node.args, node.kwargs)
                           for one in (value if isinstance(value, (tuple, list)) else [value]))
    return [value.clone() if node in changed else value for node, value in zip(placeholders, values, strict=True)]


def _time(target, args, kwargs, stopwatch) -> Timing:
    return stopwatch.measure(lambda: target(*args, **kwargs))


def _copies(args, kwargs, changed: list) -> tuple:
    """The arguments, with copies of those that the call changes, as it is repeated."""
    import torch
    from torch.utils import _pytree

    written = {id(one) for value in changed for one in tensors_in(value)}
    return _pytree.tree_map_only(torch.Tensor, lambda one: one.clone() if id(one) in written else one, (args, kwargs))


def _key(target, args, kwargs) -> tuple:
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_leaves((args, kwargs))
    return (str(target), *(
        (tuple(one.shape), one.stride(), one.dtype, str(one.device)) if isinstance(one, torch.Tensor)
        else id(one) if isinstance(one, torch.nn.Module) else repr(one) for one in leaves),
        str(_pytree.tree_structure((args, kwargs))))


def _is_view(result, args, kwargs) -> bool:
    import torch
    from torch.utils import _pytree

    def memory(value) -> set:
        return {one.untyped_storage().data_ptr() for one in _pytree.tree_leaves(value)
                if isinstance(one, torch.Tensor) and one.layout == torch.strided and one.numel()}

    made = memory(result)
    return bool(made) and made <= memory((args, kwargs))
