# SPDX-License-Identifier: Apache-2.0
"""Which operators must stay together, as memory that they share is changed in place.

A graph before functionalization may hold `relu_` or `copy_`. Its edges do not say who reads a tensor before the change
and who after it, so a cut between them could swap the two. These sets avoid that:

- of a tensor that is changed: whatever made it or a view of it, changed it, or read it before the last change. Those
  that read it later may be in a later stage: they get it as it is at the end of the stage;
- of a buffer that is changed: all that read or change it (a buffer that nobody changes is copied to each stage);
- a counter that nothing reads (batch norm's) and the next operator of its module;
- an operator with several results, and what picks one of them.

The schemas of operators say what is a view (`Tensor(a)`) and what is changed (`Tensor(a!)`). Batch norm's schema does
not say that training changes its statistics, so that is known here.
"""

from __future__ import annotations

import operator

from partita.errors import InputError
from partita.torch.forward import module_path

_STATISTICS = {"aten::batch_norm": "training", "aten::instance_norm": "use_input_stats",
               "aten::_batch_norm_impl_index": "training", "aten::cudnn_batch_norm": "training",
               "aten::native_batch_norm": "training", "aten::_native_batch_norm_legit": "training"}


def schema_of(target):
    """The schema of an operator, None for what has none (getitem, higher-order operators)."""
    return getattr(target, "_schema", None)


def named_arguments(target, args, kwargs) -> list[tuple]:
    """(argument of the schema, value) for what was passed."""
    schema = schema_of(target)
    if schema is None:
        return []
    by_place = list(zip(schema.arguments, args))
    return by_place + [(argument, kwargs[argument.name]) for argument in schema.arguments if argument.name in kwargs]


def changed_arguments(target, args, kwargs) -> list:
    """The values that a call writes to."""
    pairs = named_arguments(target, args, kwargs)
    changed = [value for argument, value in pairs if argument.alias_info is not None and argument.alias_info.is_write]
    schema = schema_of(target)
    if schema is not None and schema.name in _STATISTICS:
        given = {argument.name: value for argument, value in pairs}
        if given.get(_STATISTICS[schema.name]) is True:
            changed += [given[name] for name in ("running_mean", "running_var") if given.get(name) is not None]
    return changed


def storage_makers(graph) -> dict:
    """Of each node the one that made the memory it is in: itself, or what it is a view of."""
    maker = {}
    for node in graph.nodes:
        maker[node] = node
        if node.op != "call_function":
            continue
        if node.target is operator.getitem:  # of several new results each has its own memory; parts of a view do not
            producer = node.args[0]
            maker[node] = node if maker[producer] is producer else maker[producer]
            continue
        schema = schema_of(node.target)
        if schema is None or not any(result.alias_info is not None for result in schema.returns):
            continue
        for argument, value in named_arguments(node.target, node.args, node.kwargs):
            if argument.alias_info is not None and hasattr(value, "all_input_nodes"):
                maker[node] = maker[value]
                break
    return maker


def must_stay_together(graph, state=(), module: str = "the module") -> list[set]:
    """Sets of nodes of which none may be on two devices. `state` names the placeholders that are no inputs."""
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    maker = storage_makers(graph)
    groups = [{node, *_pickers(node)} for node in nodes if _pickers(node)]
    last_change = {}
    for node in nodes:
        if node.op != "call_function":
            continue
        for value in changed_arguments(node.target, node.args, node.kwargs):
            for one in value if isinstance(value, (tuple, list)) else [value]:
                last_change[maker[one]] = node
    for made, last in last_change.items():
        if made.op == "placeholder" and made.name not in state:
            raise InputError(f"{module} changes its input {made.name} in place ({last.target}), which stages cannot; "
                             "let it work on a copy")
        touching = {node for node in nodes if node.op == "call_function"
                    and (maker[node] is made or any(maker[source] is made for source in node.all_input_nodes))}
        if made.op == "call_function":
            touching = {made} | {node for node in touching if place[node] <= place[last]}
        elif len(touching) == 1:
            touching |= _companion(next(iter(touching)), nodes, place)
        groups.append(touching)
    return [group for group in groups if len(group) > 1]


def _pickers(node) -> list:
    return [user for user in node.users if user.op == "call_function" and user.target is operator.getitem]


def _companion(node, nodes, place) -> set:
    """The next operator of the same module, for a counter that has no edges."""
    if node.users or any(source.op == "call_function" for source in node.all_input_nodes):
        return set()
    path = module_path(node)
    later = (other for other in nodes[place[node] + 1:] if other.op == "call_function" and module_path(other) == path)
    return {found for found in [next(later, None)] if found is not None}
