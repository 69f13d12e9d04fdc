# SPDX-License-Identifier: Apache-2.0
"""The backward pass in a workload's graph: the traced operators of a joint graph, put together by their owners.

An operator's backward part reads only from the loss, from backward parts of later operators, and from sums of them. So
putting parts together makes no circle, except through a sum that lies between two functions of one part: such a sum
is taken into the part.
"""

from __future__ import annotations

import operator

from partita.torch.aliases import storage_makers
from partita.torch.capturing import Node, op_name
from partita.torch.joint import LOSS, Joint, Owner
from partita.torch.tensors import bytes_of, text_of


def add_backward(graph, joint: Joint, colours) -> None:
    """Adds backward nodes, their edges and colours, and what each forward node keeps for them."""
    forward = {node.name: node for node in graph.place}
    group_of = _groups(joint)
    place = _add_nodes(graph, joint, group_of, forward, colours)
    source = _sources(graph, joint, group_of, forward, place, colours)
    for node in group_of:
        target = place[group_of[node]]
        for read in node.all_input_nodes:
            found = source.get(read, target)
            if found != target and not _is_within_forward(group_of.get(read), group_of[node]):
                graph.edges.add((found, target))
    _keep_activations(graph, joint, group_of, forward, place)


def _groups(joint: Joint) -> dict:
    """The owner of each traced operator; sums that are nobody's part are their own: `Owner("sum", name)`."""
    group_of = {node: owner for node, owner in joint.owner.items() if owner is not None and owner.part != "sum"}
    sums = [node for node, owner in joint.owner.items() if owner is not None and owner.part == "sum"]
    before: dict = {}
    for node in sums:  # in order: what it reads is known
        before[node] = set().union(*(before.get(read, {group_of.get(read)}) for read in node.all_input_nodes))
    after: dict = {}
    for node in reversed(sums):
        after[node] = set().union(*(after.get(user, {group_of.get(user)}) for user in node.users))
    for node in sums:
        shared = (before[node] & after[node]) - {None}
        if shared:
            group_of[node] = min(shared, key=str)
        elif after[node] == {None}:  # gradients of a weight that several operators read: they share a device
            group_of[node] = Owner("backward", joint.owner[node].node)
        else:
            group_of[node] = Owner("sum", node.name)
    return {node: group_of[node] for node in joint.graph.nodes if node in group_of}


def _add_nodes(graph, joint: Joint, group_of: dict, forward: dict, colours) -> dict:
    """A node for each group that is not a forward operator's; returns the places of all groups."""
    place = {Owner("forward", name): graph.place[node] for name, node in forward.items()}
    outputs = set(graph.forward.outputs)
    last_output = next((node for node in reversed(graph.forward.operators()) if node in outputs), None)
    for node, group in group_of.items():
        if group not in place:
            own = forward.get(group.node)
            if group.part == "sum":
                near = forward.get(joint.owner[node].node)
                name = f"{graph.nodes[graph.place[near]].name if near else 'loss'}.{node.name}.sum"
                new = Node(name=name, op=op_name(node), backward=True)
            elif group.node == LOSS:
                new = Node(name=f"loss.{group.part}", op="loss", backward=group.part == "backward")
            else:
                part = graph.nodes[graph.place[own]]
                new = Node(name=f"{part.name}.backward", op=f"{part.op} backward", backward=True, layer=part.layer)
            place[group] = graph.add(new)
            if group.part != "sum":
                partner = own if own is not None else last_output
                colours.join([partner if partner is not None else place[group], place[group]])
        graph.nodes[place[group]].members.append(node.name)
    return place


def _sources(graph, joint: Joint, group_of: dict, forward: dict, place: dict, colours) -> dict:
    """Of each traced value that other groups read: the node whose edges move it."""
    source = {node: graph.place[forward[name]] for node, name in joint.placeholders.items() if name in forward}
    outside: dict = {}
    for node, group in group_of.items():
        if any(group_of.get(user, group) != group for user in node.users):
            outside.setdefault(group, []).append(node)
    for group, values in outside.items():
        if group.part == "forward" and group.node in forward:
            for value in values:
                source[value] = _picker(graph, forward[group.node], value)
        elif len(values) == 1:
            source[values[0]] = place[group]
            _describe(graph.nodes[place[group]], values[0])
        else:
            base = graph.nodes[place[group]]
            for number, value in enumerate(values):
                source[value] = graph.add(Node(name=f"{base.name}.{number}", op="result", backward=base.backward,
                                               layer=base.layer))
                graph.result_of[source[value]] = place[group]
                _describe(graph.nodes[source[value]], value)
                base.output_bytes += graph.nodes[source[value]].output_bytes
                graph.edges.add((place[group], source[value]))
                colours.join([place[group], source[value]])
    return source


def _picker(graph, node, value) -> int:
    """The place of the forward node that picks `value` of several results of `node`, or of `node` itself."""
    if value.target is operator.getitem:
        for user in node.users:
            if user.target is operator.getitem and user.args[1] == value.args[1] and user in graph.place:
                return graph.place[user]
    return graph.place[node]


def _describe(node: Node, value) -> None:
    node.output = text_of(value.meta.get("val"))
    node.output_bytes = bytes_of(value.meta.get("val"))


def _is_within_forward(made: Owner | None, reader: Owner) -> bool:
    """Whether an edge joins operators of the forward graph, which has it already; None made the inputs."""
    return reader.part == "forward" and reader.node != LOSS and (made is None or made.part == "forward")


def _keep_activations(graph, joint: Joint, group_of: dict, forward: dict, place: dict) -> None:
    """Bytes that each sample in flight keeps: memory that the forward pass made and the backward pass reads, once."""
    maker = storage_makers(joint.graph)
    kept = set()
    for node, group in group_of.items():
        if not graph.nodes[place[group]].backward:
            continue
        for read in node.all_input_nodes:
            made = maker[read]
            own = group_of.get(made)
            if own is not None and own.part == "forward":
                kept.add((made, place[own]))
            elif joint.placeholders.get(made) in forward:
                kept.add((made, graph.place[forward[joint.placeholders[made]]]))
    for value, where in kept:
        graph.nodes[where].activation += bytes_of(value.meta.get("val"))
