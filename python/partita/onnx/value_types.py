# SPDX-License-Identifier: Apache-2.0
"""Types and shapes of a model's values, as ONNX Runtime knows them: it infers those of its own operators too."""

from __future__ import annotations

from pathlib import Path

from partita.errors import InputError
from partita.onnx.runtime import onnx_package, open_session
from partita.running.session import CPU


def open_probe(proto, folder: Path, provider: str = CPU):
    """A session of the model in which every value is an output; its external weights are in `folder`."""
    probe = type(proto)()
    probe.CopyFrom(proto)
    known = {value.name for value in proto.graph.output}
    for node in proto.graph.node:
        for name in node.output:
            if name and name not in known:
                known.add(name)
                probe.graph.output.add().name = name
    place = {"session.model_external_initializers_file_folder_path": str(folder.resolve())}
    return open_session(probe.SerializeToString(), provider=provider, entries=place)


def with_types(proto, path: Path):
    """The model with a type for every value that its file has none of, where ONNX Runtime can tell it."""
    onnx = onnx_package("cutting a model")
    known = {v.name for v in (*proto.graph.value_info, *proto.graph.output) if v.type.WhichOneof("value")}
    if all(name in known for node in proto.graph.node for name in node.output if name):
        return proto
    typed = type(proto)()
    typed.CopyFrom(proto)
    for value in open_probe(proto, path.parent).get_outputs():
        if value.name not in known:
            typed.graph.value_info.append(
                onnx.helper.make_value_info(value.name, type_proto(value.type, value.shape or None))
            )  # [] is also what is not known
    return typed


def type_proto(text: str, shape):
    """What ONNX Runtime calls `tensor(float)`, `seq(tensor(float))`; None or a name in the shape is an open extent."""
    onnx = onnx_package("reading types")
    if text.startswith("tensor("):
        return onnx.helper.make_tensor_type_proto(_element(onnx, text), shape)
    inside = type_proto(text[text.index("(") + 1 : -1], None)
    if text.startswith("seq("):
        return onnx.helper.make_sequence_type_proto(inside)
    if text.startswith("optional("):
        return onnx.helper.make_optional_type_proto(inside)
    raise InputError(f"found a value of the type {text}; expected tensors, sequences or optional values")


def _element(onnx, text: str) -> int:
    word = text[text.rindex("(") + 1 : text.index(")")]
    return onnx.TensorProto.DataType.Value(word.upper())
