# SPDX-License-Identifier: Apache-2.0
"""Cuts an ONNX model along a plan: a file for each stage and pipeline.json (docs/split.md), as `partita split` does.

Needs the plan and the model and the package onnx, no solver: nodes are found by the names that the plan has for them. What only
`partita split` can do is refused: plans that cut through a call of a function, or that need the shape of a tensor before
it is made.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from partita.dtypes import from_onnx_type, numpy_dtype
from partita.errors import InputError
from partita.onnx.cut import CutStage, Cutter, reads
from partita.onnx.runtime import onnx_package
from partita.onnx.value_types import with_types
from partita.pipeline import FILE_NAME, VERSION, Pipeline
from partita.plan_file import PlanFile

_BY_PROGRAM = "`partita split` can do that"


def split(model, plan, folder, chain: bool = False, force: bool = False) -> Pipeline:
    """Writes the stages of `model` along `plan` (a file) into `folder`, and returns the pipeline that they are.

    `chain`: each stage reads from the one before it alone. `force`: replace a folder of stages. Example:

        pipeline = partita.onnx.split("model.onnx", "plan.json", "stages")
    """
    onnx = onnx_package("cutting a model")
    model, folder = Path(model), Path(folder)
    plan = plan if isinstance(plan, PlanFile) else PlanFile.read(plan)
    check_folder(folder, force)
    if not model.is_file():
        raise InputError(f"{model}: there is no such file; expected the model that {plan.path} is for")
    proto = onnx.load(model, load_external_data=False)
    devices, stage_of = stages_of_plan(proto, plan, str(model))
    stages = Cutter(with_types(proto, model), stage_of, len(devices), chain).cut()
    return write_stages(model, proto, stages, devices, folder, chain=chain, fingerprint=plan.fingerprint)


def check_folder(folder: Path, force: bool) -> None:
    """Only a folder that is not there, is empty, or (with force) holds stages, may be written."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; expected a folder to be made")
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / FILE_NAME).is_file():
            raise InputError(f"{folder}: is not empty and holds no stages; name another folder")
        if not force:
            raise InputError(f"{folder}: holds stages already; name another folder, or replace them with force")


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
            raise InputError(f"{plan.path}: cuts through {name!r}, a call of the function {node.op_type}; {_BY_PROGRAM}")
        places.append(device_of.get(name, next(iter(inside), None)))
    # Inputs of the model, and the outputs of nodes that have several, are in plans too.
    tensors = {value.name for value in proto.graph.input} | {name for node in proto.graph.node for name in node.output}
    calls = tuple(f"{name}/" for name in own) if functions else ()
    strange = [name for name in device_of if name not in own and name not in tensors and not name.startswith(calls)]
    if strange and functions and not all(node.name for node in proto.graph.node):
        raise InputError(f"{label}: calls functions, and has nodes without a name; {_BY_PROGRAM}")
    if strange:
        raise InputError(f"{plan.path}: is a plan of another model: {label} has no node {strange[0]!r}"
                         + (f", nor {len(strange) - 1} others" if len(strange) > 1 else ""))
    return places


def names_in_plans(proto) -> list[str]:
    """What plans call the nodes: nodes without a name by operator and place among those that are no constants, nodes that share a
    name with a number."""
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
        order = sorted({places[i] for i in named}, key=lambda d: (plan.devices[d].stage is None, plan.devices[d].stage or 0))
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
    """Constants and arithmetic on shapes are in no plan. What depends on weights alone is computed in each stage that reads it;
    the rest where its inputs are there."""
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
                raise InputError(f"{plan.path}: stage {min(stage_of[i])} needs what {proto.graph.node[before].name!r} makes of a tensor of "
                                 f"stage {stage_of[before][0]}; {_BY_PROGRAM}")


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


def write_stages(model: Path, proto, stages: list[CutStage], devices, folder: Path, chain=False, fingerprint=None) -> Pipeline:
    """The folder appears whole or not at all."""
    onnx = onnx_package("cutting a model")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partita-", dir=folder.parent) as work:
        made = Path(work) / "stages"
        made.mkdir()
        files = []
        for number, stage in enumerate(stages):
            files.append(f"stage_{number}.onnx")
            onnx.save(stage.model, made / files[-1])
        files += _bring_weights(proto, model.parent, made)
        document = _document(onnx, model, proto, stages, devices, files, chain, fingerprint)
        (made / FILE_NAME).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        if folder.is_dir():
            shutil.rmtree(folder)
        os.replace(made, folder)
    return Pipeline.read(folder)


def _bring_weights(proto, source: Path, folder: Path) -> list[str]:
    """External weights appear beside the stages without being copied, where the file system can."""
    names = {}
    for tensor in proto.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                names[entry.value] = None
    for name in names:
        parts = Path(name).parts
        if Path(name).is_absolute() or ".." in parts:
            raise InputError(f"external weights at {name!r} are outside of the model's folder; move them into it")
        if not (source / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source / name, folder / name)
        except OSError:
            shutil.copyfile(source / name, folder / name)
    return [name for name in names if (folder / name).is_file()]


def _document(onnx, model, proto, stages, devices, files, chain, fingerprint) -> dict:
    types = {v.name: v for stage in stages for v in (*stage.model.graph.input, *stage.model.graph.output)}
    types.update((v.name, v) for v in (*proto.graph.input, *proto.graph.output))
    weights = {t.name for t in proto.graph.initializer}

    def entry(name, **more):
        return {"name": name, **_described(types[name]), **more}

    def came_from(source):
        return "input" if source is None else {"stage": source}

    rows = []
    for number, (stage, names) in enumerate(zip(stages, devices)):
        row = {"stage": number, "device": names[0]}
        if names[1:]:
            row["copies"] = names[1:]
        row |= {"file": files[number], "nodes": stage.nodes, "recomputed_nodes": stage.recomputed,
                "weight_bytes": stage.weight_bytes}
        row["inputs"] = [entry(name, **{"from": came_from(source)}) for name, source in stage.inputs.items()]
        row["inputs"] += [entry(name, **{"from": "input", "optional": True}) for name in stage.optional]
        row["outputs"] = [entry(name) for name in stage.outputs]
        rows.append(row)
    last_with = {name: i for i, stage in reversed(list(enumerate(stages))) for name in stage.outputs}
    if chain:
        last_with = {name: len(stages) - 1 for name in last_with}
    document = {
        "partita": {"format": "pipeline", "version": VERSION}, "model": model.name, "chain": chain, "annotated": False,
        "inputs": [entry(v.name, **({"optional": True} if v.name in weights else {})) for v in proto.graph.input],
        "outputs": [entry(v.name, **{"from": {"stage": last_with[v.name]}}) for v in proto.graph.output],
        "stages": rows, "weights": {"stage_bytes": sum(stage.weight_bytes for stage in stages)}, "files": files, "notes": []}
    if fingerprint:
        document["fingerprint"] = fingerprint
    return document


def _described(value) -> dict:
    """dtype, shape and bytes of a value, as far as its type says them."""
    kind = value.type.WhichOneof("value")
    inner = value.type
    if kind == "sequence_type":
        inner = value.type.sequence_type.elem_type
    tensor = inner.tensor_type
    dtype = from_onnx_type(tensor.elem_type)
    shape = None
    if tensor.HasField("shape"):
        shape = [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim]
    size = None
    if dtype and kind == "tensor_type" and shape is not None and all(isinstance(extent, int) for extent in shape):
        size = numpy_dtype(dtype).itemsize
        for extent in shape:
            size *= extent
    row = {"dtype": dtype, "shape": shape, "bytes": size}
    return row | ({"sequence": True} if kind == "sequence_type" else {})
