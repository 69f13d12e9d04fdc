# SPDX-License-Identifier: Apache-2.0
"""The graph that is profiled, planned, cut and run: one that ONNX Runtime has optimised as a whole.

Cutting first and optimising each piece later breaks every prediction: pieces ran 10 to 28 % faster than the sum of the
operators that were measured, and unevenly so. So the whole model is optimised once and saved; from then on optimisation
is off. Three things are then written into the saved file:

- a name for each node, one that no other node has, also none inside of the bodies of If and Loop: what the profiler and
  plans call it;
- the type and shape of every tensor, as a run of the model has made it, since nobody infers those of ONNX Runtime's own
  operators (FusedConv, SkipLayerNormalization, the blocked layouts of `com.microsoft.nchwc`);
- sizes for all dimensions that the model leaves open, which are those of the inputs that it was run with.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from partita.errors import InputError
from partita.onnx.cut import inner_graphs
from partita.onnx.inputs import Feeds, feeds_for
from partita.onnx.runtime import LEVELS, load_model, onnx_package, open_session, provider_of
from partita.onnx.value_types import open_probe, type_proto

EXTERNAL_FROM = 1 << 30  # bytes of weights from which they get a file of their own: protocol buffers end at 2 GiB
OWN_WEIGHTS = "weights.bin"
_UNQUOTED = re.compile(r'["\\\x00-\x1f]')  # what the profiler would write into its JSON as it is


@dataclass(frozen=True)
class Optimised:
    """A model as it will run, with names and shapes, and the inputs that gave it its sizes."""

    path: Path
    feeds: Feeds
    nodes: int


def optimise(
    model, output, level: str = "all", inputs: dict | None = None, dims: dict | None = None, providers=None
) -> Optimised:
    """Optimises `model` as a whole and writes it to `output`, ready to be measured, planned and cut.

    `level` is none, basic, extended or all; `inputs` are arrays by name, made up where they are not given; `dims` gives
    sizes to dimensions that the model names (1 where not said). Example:

        optimise("model.onnx", "work/model.onnx", dims={"batch": 1, "sequence": 128})
    """
    if level not in LEVELS:
        raise InputError(f"level: found {level!r}; expected one of {', '.join(LEVELS)}")
    model, output = Path(model), Path(output)
    if output.resolve() == model.resolve():
        raise InputError(f"{output}: is the model itself, which would be overwritten; name another folder")
    provider = provider_of(providers)
    feeds = feeds_for(model, inputs, dims)
    is_new = not output.parent.exists()
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(prefix=".partita-", dir=output.parent) as folder:
            nodes = _write(model, Path(folder) / output.name, level, feeds, provider)
            for part in Path(folder).iterdir():
                os.replace(part, output.parent / part.name)
    except BaseException:
        if is_new and not any(output.parent.iterdir()):
            output.parent.rmdir()
        raise
    return Optimised(output, feeds, nodes)


def _write(model: Path, saved: Path, level: str, feeds: Feeds, provider: str) -> int:
    """The number of nodes of what was written."""
    onnx = onnx_package("optimising a model")
    _save_optimised(model, saved, level, feeds, provider)
    proto = onnx.load(saved, load_external_data=False)
    if not (saved.parent / OWN_WEIGHTS).is_file():  # ONNX Runtime still refers to the weights beside the model
        onnx.load_external_data_for_model(proto, str(model.parent))
    name_nodes(proto.graph)
    _declare_everything(proto, saved, feeds, provider)
    onnx.save(proto, saved)
    return len(proto.graph.node)


def _save_optimised(model: Path, saved: Path, level: str, feeds: Feeds, provider: str) -> None:
    entries = {}
    if _weight_bytes(model) >= EXTERNAL_FROM:
        entries = {
            "session.optimized_model_external_initializers_file_name": OWN_WEIGHTS,
            "session.optimized_model_external_initializers_min_size_in_bytes": "1024",
        }
    open_session(model, level, provider, save_as=str(saved), dimensions=feeds.dimensions, entries=entries)
    if not saved.is_file():
        raise InputError(
            f"{model}: ONNX Runtime has not saved what it optimised, as providers that compile do not; "
            "measure with level none"
        )


def _weight_bytes(model: Path) -> int:
    total = model.stat().st_size
    for tensor in load_model(model).graph.initializer:
        fields = {entry.key: entry.value for entry in tensor.external_data}
        total += int(fields.get("length", 0))
    return total


def _inner_names(graph):
    for node in graph.node:
        for body in inner_graphs(node):
            for inner in body.node:
                yield inner.name
            yield from _inner_names(body)


def name_nodes(graph) -> None:
    """Gives every node of the graph a name of its own, which says its operator where it had none."""
    taken = set(_inner_names(graph)) | {""}
    for place, node in enumerate(graph.node):
        name = base = _UNQUOTED.sub("_", node.name) or f"{node.op_type}_{place}"
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(name)
        node.name = name


def _declare_everything(proto, path: Path, feeds: Feeds, provider: str) -> None:
    """Types and shapes of all values, from a run in which every one of them is an output."""
    graph = proto.graph
    session = open_probe(proto, path.parent, provider)
    types = {value.name: value.type for value in session.get_outputs()}
    declared = {value.name: value for value in graph.output}
    del graph.value_info[:]
    for name, shape in _shapes(session, list(types), feeds):
        value = declared.get(name)
        if value is None:
            value = graph.value_info.add()
            value.name = name
        value.type.CopyFrom(type_proto(types[name], shape))
    for value in graph.input:
        if value.name in feeds.arrays:
            for dimension, extent in zip(value.type.tensor_type.shape.dim, feeds.arrays[value.name].shape):
                dimension.dim_value = extent


def _shapes(session, names: list, feeds: Feeds, together: int = 64):
    """Some outputs at a time, so that never all tensors of a large model are in memory."""
    given = feeds.values()
    for start in range(0, len(names), together):
        some = names[start : start + together]
        for name, value in zip(some, session.run_with_ort_values(some, given)):
            yield name, (list(value.shape()) if value.is_tensor() else None)
