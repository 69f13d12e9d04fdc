# SPDX-License-Identifier: Apache-2.0
"""Which stages run each node of a model, by a plan: nodes are found by the names that the plan has for them."""

from __future__ import annotations

from partita.errors import InputError
from partita.onnx.cut import reads
from partita.plan_file import PlanFile


class BeyondThisCutter(Exception):
    """What the library's cutter can do and the package's own cannot."""


def plan_places(proto, plan: PlanFile, label: str) -> list[int | None]:
    """For each node of the model the position of its device in the plan, None where the plan does not name it."""
    names = {int(key): name for key, name in plan.content.get("node_names", {}).items()}
    device_of = {names[node]: i for i, device in enumerate(plan.devices) for node in device.nodes if node in names}
    functions = {(f.domain, f.name) for f in proto.functions}
    own = names_in_plans(proto)
    places: list[int | None] = []
    for node, name in zip(proto.graph.node, own):
        inside = set()
        if (node.domain, node.op_type) in functions:
            inside = {device for inner, device in device_of.items() if inner.startswith(f"{name}/")}
        if len(inside) > 1:
            raise BeyondThisCutter(f"{plan.path}: cuts through {name!r}, a call of the function {node.op_type}")
        places.append(device_of.get(name, next(iter(inside), None)))
    # Inputs of the model, and the outputs of nodes that have several, are in plans too.
    tensors = {value.name for value in proto.graph.input} | {name for node in proto.graph.node for name in node.output}
    calls = tuple(f"{name}/" for name in own) if functions else ()
    strange = [name for name in device_of if name not in own and name not in tensors and not name.startswith(calls)]
    if strange and functions and not all(node.name for node in proto.graph.node):
        raise BeyondThisCutter(f"{label}: calls functions, and has nodes without a name")
    if strange:
        raise InputError(
            f"{plan.path}: is a plan of another model: {label} has no node {strange[0]!r}"
            + (f", nor {len(strange) - 1} others" if len(strange) > 1 else "")
        )
    return places


def names_in_plans(proto) -> list[str]:
    """What plans call the nodes: nodes without a name by operator and place among those that are no constants, nodes
    that share a name with a number."""
    seen, names, place = {}, [], 0
    for node in proto.graph.node:
        name = base = node.name or f"{node.op_type}_{place}"
        place += node.op_type != "Constant"
        while name in seen:
            seen[base] += 1
            name = f"{base}#{seen[base]}"
        seen[name] = 1
        names.append(name)
    return names


def stages_of_plan(proto, plan: PlanFile, label: str) -> tuple[list[list[str]], list[list[int]]]:
    """The devices of each stage, in running order, and for each node the stages that run it."""
    places = plan_places(proto, plan, label)
    makers = {name: i for i, node in enumerate(proto.graph.node) for name in node.output if name}
    needs = [[makers[name] for name in reads(node) if name in makers] for node in proto.graph.node]
    live = _live(proto, needs, makers)
    piece_of, owners = _pieces(plan, places, needs, live)
    stage_of = [[piece_of[i]] if i in piece_of else [] for i in range(len(places))]
    _place_unnamed(proto, plan, stage_of, needs, live, len(owners))
    return _close_gaps(plan, stage_of, owners)


def _live(proto, needs, makers) -> set[int]:
    waiting = [makers[value.name] for value in proto.graph.output if value.name in makers]
    found = set(waiting)
    while waiting:
        for before in needs[waiting.pop()]:
            if before not in found:
                found.add(before)
                waiting.append(before)
    return found


def _pieces(plan: PlanFile, places, needs, live) -> tuple[dict[int, int], list[int]]:
    """Pieces that can run one after the other: of a staged plan its stages, else as long as a device can go on."""
    named = [i for i in range(len(places)) if i in live and places[i] is not None]
    if plan.shape == "staged":
        order = sorted(
            {places[i] for i in named}, key=lambda d: (plan.devices[d].stage is None, plan.devices[d].stage or 0)
        )
        number = {device: i for i, device in enumerate(order)}
        return {i: number[places[i]] for i in named}, order
    named_before = _named_ancestors(places, needs)
    piece_of, owners, waiting = {}, [], list(named)
    while waiting:
        best = []
        for device in dict.fromkeys(places[i] for i in waiting):
            taken, chosen = set(), []
            for i in waiting:
                if places[i] == device and all(b in piece_of or b in taken for b in named_before[i]):
                    taken.add(i)
                    chosen.append(i)
            best = max(best, chosen, key=len)
        piece_of.update((i, len(owners)) for i in best)
        owners.append(places[best[0]])
        waiting = [i for i in waiting if i not in piece_of]
    return piece_of, owners


def _named_ancestors(places, needs) -> list[set[int]]:
    """The nodes of the plan that a node waits for, through those that the plan does not name."""
    found: list[set[int]] = []
    for before in needs:
        mine: set[int] = set()
        for b in before:
            mine |= {b} if places[b] is not None else found[b]
        found.append(mine)
    return found


def _place_unnamed(proto, plan, stage_of, needs, live, stages: int) -> None:
    """Constants and arithmetic on shapes are in no plan. What depends on weights alone is computed in each stage that
    reads it; the rest where its inputs are there."""
    readers: dict[int, set[int]] = {i: set() for i in live}
    constant = [False] * len(stage_of)
    named = [bool(where) for where in stage_of]
    given = {value.name for value in proto.graph.input} - {tensor.name for tensor in proto.graph.initializer}
    for i, node in enumerate(proto.graph.node):
        if i not in live or named[i]:
            continue
        constant[i] = all(constant[b] for b in needs[i]) and not given.intersection(reads(node))
        if not constant[i]:
            stage_of[i] = [max((stage_of[b][0] for b in needs[i] if stage_of[b]), default=0)]
    for value in proto.graph.output:
        for i, node in enumerate(proto.graph.node):
            if value.name in node.output and constant[i]:
                readers[i].add(0)
    for i in reversed(range(len(stage_of))):
        if i not in live:
            continue
        if constant[i]:
            stage_of[i] = sorted(readers[i]) or [0]
        for before in needs[i]:
            if constant[before]:
                readers[before].update(stage_of[i])
            elif not named[before] and min(stage_of[i]) < stage_of[before][0]:
                raise BeyondThisCutter(
                    f"{plan.path}: stage {min(stage_of[i])} needs what {proto.graph.node[before].name!r} makes of "
                    f"a tensor of stage {stage_of[before][0]}"
                )


def _close_gaps(plan: PlanFile, stage_of, owners) -> tuple[list[list[str]], list[list[int]]]:
    """Without stages that hold nothing: a device with an input of the model alone, or with nodes that nobody needs."""
    used = sorted({stage for where in stage_of for stage in where})
    if not used:
        raise InputError(f"{plan.path}: no node of the model is needed for its outputs")
    number = {stage: i for i, stage in enumerate(used)}
    owners = owners or [0]
    devices = []
    for stage in used:
        position = owners[stage]
        copies = [d["name"] for d in plan.content["devices"] if d.get("copy_of") == position]
        devices.append([plan.devices[position].name, *copies])
    return devices, [[number[stage] for stage in where] for where in stage_of]
