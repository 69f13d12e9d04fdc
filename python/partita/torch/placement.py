# SPDX-License-Identifier: Apache-2.0
"""Which stage of a pipeline each operator of a module belongs to, by a plan of its workload."""

from __future__ import annotations

import os

from partita.errors import InputError
from partita.json_file import checked_format, read_json
from partita.plan_file import VERSION
from partita.torch.aliases import must_stay_together
from partita.torch.capturing import capture_of
from partita.torch.forward import Forward
from partita.torch.workload import fingerprint

_ADVICE = "profile the module with these arguments, and plan it again"


def stage_of_nodes(plan, forward: Forward) -> tuple[dict, int]:
    """The stage of each node of the forward graph, from 0, and how many stages there are.

    `plan` is a file of `partita plan -o`, its content, or an object that has the content (`.content`, `.to_dict()`).
    """
    content, where = _content(plan)
    module = type(forward.module).__name__
    expected = capture_of(forward)
    placed = _placed(content, where)
    _check_names(module, {node.name.rsplit("/", 1)[-1] for node in expected.nodes}, placed, where)
    said = (content.get("model") or {}).get("fingerprint")
    is_training = len(content["assignment"]) != len(expected.nodes)  # backward nodes depend on the loss, unknown here
    if said and not is_training and said != (found := fingerprint(expected)):
        raise InputError(f"{where}: is a plan of another module than this {module}: fingerprints {said} and {found}; "
                         f"{_ADVICE}")
    together = must_stay_together(forward.graph, forward.state, module)
    return _stages(content, where, forward.operators(), placed, together)


def stage_of_graph(plan, graph, module: str) -> tuple[dict, int]:
    """The same for a graph with parameters as attributes, as `torch.distributed.pipelining.pipeline` traces them."""
    content, where = _content(plan)
    placed = _placed(content, where)
    operators = [node for node in graph.nodes if node.op == "call_function"]
    inputs = {node.name for node in graph.nodes if node.op == "placeholder"}
    computed = {name: device for name, device in placed.items() if name not in inputs}
    _check_names(module, {node.name for node in operators}, computed, where)
    return _stages(content, where, operators, placed, must_stay_together(graph, (), module))


def _stages(content: dict, where: str, operators: list, placed: dict, together: list) -> tuple[dict, int]:
    device_of = {node: placed[node.name] for node in operators}  # inputs enter at the first stage in any case
    order = _order_of_devices(content, device_of, where)
    stage = {node: order[device] for node, device in device_of.items()}
    _check_can_be_cut(stage, together, where)
    return stage, len(order)


def _content(plan) -> tuple[dict, str]:
    if isinstance(plan, (str, os.PathLike)):
        content, where = read_json(plan, "plan", VERSION), str(plan)
    else:
        content = plan if isinstance(plan, dict) else getattr(plan, "content", None)
        if content is None and callable(getattr(plan, "to_dict", None)):
            content = plan.to_dict()
        where = "plan"
        checked_format(content, where, "plan", VERSION)
    if content.get("value") is None or not content.get("assignment"):
        raise InputError(f"{where}: holds no split (status {content.get('status')}): there is nothing to cut")
    return content, where


def _placed(content: dict, where: str) -> dict[str, int]:
    """The device of each forward operator, by its name in the graph. Other nodes have a dot behind the slash."""
    names = content.get("node_names") or {}
    placed = {}
    for number, device in content["assignment"].items():
        name = names.get(number, "").rsplit("/", 1)[-1]
        if not isinstance(device, int) or not 0 <= device < len(content.get("devices", [])):
            raise InputError(f"{where}: node {number} is on device {device}, which the plan does not list")
        if name and "." not in name:
            placed[name] = device
    return placed


def _check_names(module: str, own: set, placed: dict, where: str) -> None:
    unknown, missing = sorted(placed.keys() - own), sorted(own - placed.keys())
    if unknown or missing:
        found = [f"places {len(unknown)} that it has not ({unknown[0]}, ...)" if unknown else "",
                 f"lacks {len(missing)} of its operators ({missing[0]}, ...)" if missing else ""]
        raise InputError(f"{where}: is a plan of another module than this {module}: it "
                         f"{' and '.join(part for part in found if part)}; {_ADVICE}")


def _order_of_devices(content: dict, device_of: dict, where: str) -> dict[int, int]:
    """The place in the pipeline of each device in use: by the plan's stages, else such that all edges go forward."""
    devices = content["devices"]
    used = sorted(set(device_of.values()))
    if all(isinstance(devices[device].get("stage"), int) for device in used):
        return {device: place for place, device in enumerate(sorted(used, key=lambda one: devices[one]["stage"]))}
    reads = {device: {} for device in used}  # device: devices that it reads from, and an edge
    for node, device in device_of.items():
        for source in node.all_input_nodes:
            if device_of.get(source, device) != device:
                reads[device].setdefault(device_of[source], (source, node))
    order: dict[int, int] = {}
    while len(order) < len(used):
        ready = next((one for one in used if one not in order and reads[one].keys() <= order.keys()), None)
        if ready is None:
            raise InputError(f"{where}: this {content.get('shape', 'free')} split is no pipeline: "
                             f"{_circle(devices, reads, order)}; plan with --shape staged")
        order[ready] = len(order)
    return order


def _circle(devices: list, reads: dict, order: dict) -> str:
    """Devices that wait for each other, in words."""
    at = next(one for one in reads if one not in order)
    seen = []
    while at not in seen:
        seen.append(at)
        at = next(one for one in reads[at] if one not in order)
    steps = seen[seen.index(at):] + [at]
    name = [device.get("name", f"device {place}") for place, device in enumerate(devices)]
    return " and ".join(f"{name[to]} needs {reads[to][source][0].name} of {name[source]}"
                        for to, source in zip(steps, steps[1:]))


def _check_can_be_cut(stage: dict, together: list, where: str) -> None:
    for node, place in stage.items():
        for source in node.all_input_nodes:
            if stage.get(source, place) > place:
                raise InputError(f"{where}: is no pipeline: {node.name} in stage {place} reads {source.name} of the "
                                 f"later stage {stage[source]}; plan with --shape staged")
    for group in together:
        inside = [node for node in group if node in stage]
        if len({stage[node] for node in inside}) > 1:
            names = ", ".join(sorted(node.name for node in inside))
            raise InputError(f"{where}: parts {names}, which share memory that is changed in place, or results of one "
                             "operator; they must be in one stage (the workload gives them one colorClass)")
