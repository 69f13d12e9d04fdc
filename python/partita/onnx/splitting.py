# SPDX-License-Identifier: Apache-2.0
"""Cuts an ONNX model along a plan: a file for each stage and pipeline.json (docs/split.md), as `partita split` does.

Needs the plan and the model and the package onnx, no solver: nodes are found by the names that the plan has for them.
Plans that cut through a call of a function, or need the shape of a tensor before it is made, are left to the library's
own cutter, where it is there.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from partita.dtypes import from_onnx_type, numpy_dtype
from partita.errors import InputError
from partita.onnx.cut import CutStage, Cutter
from partita.onnx.plan_stages import BeyondThisCutter, stages_of_plan
from partita.onnx.planning_seam import cut_by_library
from partita.onnx.runtime import load_model, onnx_package
from partita.onnx.value_types import with_types
from partita.pipeline import FILE_NAME, VERSION, Pipeline, checksum
from partita.plan_file import PlanFile


def split(model, plan, folder, chain: bool = False, force: bool = False) -> Pipeline:
    """Writes the stages of `model` along `plan` (a file) into `folder`, and returns the pipeline that they are.

    `chain`: each stage reads from the one before it alone. `force`: replace a folder of stages. Example:

        pipeline = partita.onnx.split("model.onnx", "plan.json", "stages")
    """
    model, folder = Path(model), Path(folder)
    plan = plan if isinstance(plan, PlanFile) else PlanFile.read(plan)
    check_folder(folder, force)
    proto = load_model(model)
    try:
        devices, stage_of = stages_of_plan(proto, plan, str(model))
    except BeyondThisCutter as reason:
        return _split_by_library(model, plan, folder, chain, reason)
    stages = Cutter(with_types(proto, model), stage_of, len(devices), chain).cut()
    return write_stages(model, proto, stages, devices, folder, chain=chain, fingerprint=plan.fingerprint)


def _split_by_library(model: Path, plan: PlanFile, folder: Path, chain: bool, reason: Exception) -> Pipeline:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partita-", dir=folder.parent) as work:
        if not cut_by_library(model, plan, Path(work) / "stages", chain):
            raise InputError(
                f"{reason}; the compiled module or the program partita can do that, but neither is there"
            ) from None
        _appear(Path(work) / "stages", folder)
    return Pipeline.read(folder)


def _appear(made: Path, folder: Path) -> None:
    """Under its name at once, in the place of stages that may be there."""
    if folder.is_dir():
        shutil.rmtree(folder)
    os.replace(made, folder)


def check_folder(folder: Path, force: bool) -> None:
    """Only a folder that is not there, is empty, or (with force) holds stages, may be written."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; expected a folder to be made")
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / FILE_NAME).is_file():
            raise InputError(f"{folder}: is not empty and holds no stages; name another folder")
        if not force:
            raise InputError(f"{folder}: holds stages already; name another folder, or replace them with force")


def write_stages(
    model: Path, proto, stages: list[CutStage], devices, folder: Path, chain=False, fingerprint=None
) -> Pipeline:
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
        checksums = [checksum(made / name) for name in files]
        files += _bring_weights(proto, model.parent, made)
        document = _document(onnx, model, proto, stages, devices, files, checksums, chain, fingerprint)
        (made / FILE_NAME).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        _appear(made, folder)
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


def _document(onnx, model, proto, stages, devices, files, checksums, chain, fingerprint) -> dict:
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
        row |= {
            "file": files[number],
            "crc32": checksums[number],
            "nodes": stage.nodes,
            "recomputed_nodes": stage.recomputed,
            "weight_bytes": stage.weight_bytes,
        }
        row["inputs"] = [entry(name, **{"from": came_from(source)}) for name, source in stage.inputs.items()]
        row["inputs"] += [entry(name, **{"from": "input", "optional": True}) for name in stage.optional]
        row["outputs"] = [entry(name) for name in stage.outputs]
        rows.append(row)
    last_with = {name: i for i, stage in reversed(list(enumerate(stages))) for name in stage.outputs}
    if chain:
        last_with = {name: len(stages) - 1 for name in last_with}
    document = {
        "partita": {"format": "pipeline", "version": VERSION},
        "model": model.name,
        "chain": chain,
        "annotated": False,
        "inputs": [entry(v.name, **({"optional": True} if v.name in weights else {})) for v in proto.graph.input],
        "outputs": [entry(v.name, **{"from": {"stage": last_with[v.name]}}) for v in proto.graph.output],
        "stages": rows,
        "weights": {"stage_bytes": sum(stage.weight_bytes for stage in stages)},
        "files": files,
        "notes": [],
    }
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
