# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models, and folders of stages made of them by hand: what `partita split` would write, without it."""

import json
import os
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

_NAMES = {
    TensorProto.FLOAT: "fp32",
    TensorProto.INT64: "int64",
    TensorProto.FLOAT16: "fp16",
    TensorProto.BFLOAT16: "bf16",
    TensorProto.STRING: "string",
}
_BYTES = {"fp32": 4, "int64": 8, "fp16": 2, "bf16": 2, "string": 1}


@dataclass
class Model:
    """A model as a list of nodes; `types` has (ONNX type, shape) of every value that a cut may cross."""

    nodes: list
    inputs: list
    outputs: list
    types: dict
    weights: dict

    def proto(self, nodes=None, inputs=None, outputs=None):
        nodes = self.nodes if nodes is None else nodes
        read = {name for node in nodes for name in node.input}
        infos = [[helper.make_tensor_value_info(name, *self.types[name]) for name in names]
                 for names in (self.inputs if inputs is None else inputs, self.outputs if outputs is None else outputs)]
        weights = [numpy_helper.from_array(array, name) for name, array in self.weights.items() if name in read]
        graph = helper.make_graph(nodes, "g", *infos, weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

    def expected(self, feeds):
        """Outputs by name: the whole model, without optimisation, on one thread, as stages run."""
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            self.proto().SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return dict(zip(self.outputs, session.run(self.outputs, feeds)))


def chain(layers=4, width=16, batch=1, seed=0):
    """x -> MatMul, Tanh -> h0 -> ... The last one also adds h0: a tensor that skips stages."""
    numbers = np.random.default_rng(seed)
    nodes, types, weights = [], {"x": (TensorProto.FLOAT, [batch, width])}, {}
    value = "x"
    for layer in range(layers):
        weights[f"w{layer}"] = (numbers.standard_normal((width, width)) / np.sqrt(width)).astype("float32")
        nodes.append(helper.make_node("MatMul", [value, f"w{layer}"], [f"m{layer}"], f"matmul{layer}"))
        nodes.append(helper.make_node("Tanh", [f"m{layer}"], [f"h{layer}"], f"tanh{layer}"))
        value = f"h{layer}"
        types[value] = (TensorProto.FLOAT, [batch, width])
    nodes.append(helper.make_node("Add", [value, "h0"], ["y"], "add"))
    types["y"] = types[value]
    return Model(nodes, ["x"], ["y"], types, weights)


def cut(model, folder, groups, devices=None, copies=None, bytes_of=None, name="model.onnx", **more):
    """Writes stages: `groups` are lists of nodes' names in running order. Returns the folder."""
    os.makedirs(folder, exist_ok=True)
    copies = copies or {}
    maker = {}
    stages = []
    for index, group in enumerate(groups):
        nodes = [node for node in model.nodes if node.name in group]
        inside = {value for node in nodes for value in node.output}
        reads = list(
            dict.fromkeys(v for node in nodes for v in node.input if v not in inside and v not in model.weights)
        )
        outside = {v for node in model.nodes if node not in nodes for v in node.input} | set(model.outputs)
        makes = [value for node in nodes for value in node.output if value in outside]
        file = f"stage_{index}.onnx"
        onnx.save(model.proto(nodes, reads, makes), os.path.join(folder, file))
        stages.append(
            {
                "stage": index,
                "device": (devices or [f"core {i}" for i in range(len(groups))])[index],
                "file": file,
                "nodes": len(nodes),
                "weight_bytes": 0,
                "inputs": [
                    {**_value(model, v, bytes_of), "from": {"stage": maker[v]} if v in maker else "input"}
                    for v in reads
                ],
                "outputs": [_value(model, v, bytes_of) for v in makes],
                **({"copies": copies[index]} if index in copies else {}),
            }
        )
        maker.update({value: index for value in makes})
    content = {
        "partita": {"format": "pipeline", "version": 1}, "model": name, "chain": False, "annotated": False,
        "inputs": [_value(model, v, bytes_of) for v in model.inputs],
        "outputs": [{**_value(model, v, bytes_of), "from": {"stage": maker[v]}} for v in model.outputs],
        "stages": stages, "files": [stage["file"] for stage in stages], "notes": [], **more}
    with open(os.path.join(folder, "pipeline.json"), "w", encoding="utf-8") as file:
        json.dump(content, file)
    return folder


def _value(model, name, bytes_of):
    kind, shape = model.types[name]
    sizes = [extent if isinstance(extent, int) else 1 for extent in shape]
    size = int(np.prod(sizes)) * _BYTES[_NAMES[kind]]
    return {"name": name, "dtype": _NAMES[kind], "shape": shape, "bytes": (bytes_of or {}).get(name, size)}


def chain_groups(layers, stages):
    """The nodes of `chain` in so many groups of about equal size."""
    names = [[f"matmul{layer}", f"tanh{layer}"] for layer in range(layers)]
    groups = [[] for _ in range(stages)]
    for layer, pair in enumerate(names):
        groups[layer * stages // layers] += pair
    groups[-1].append("add")
    return groups


def plan_of(folder, path, value=1.0, loads=None, model="model.onnx", unit="ms"):
    """Writes a plan for stages: each device with the given load, all of it compute."""
    with open(os.path.join(folder, "pipeline.json"), encoding="utf-8") as file:
        stages = json.load(file)["stages"]
    names = list(dict.fromkeys(name for stage in stages for name in [stage["device"], *stage.get("copies", [])]))
    devices = [
        {
            "name": name,
            "kind": "accelerator",
            "index": index,
            "stage": index,
            "load": (loads or {}).get(name, value),
            "compute": (loads or {}).get(name, value),
            "in": 0,
            "out": 0,
            "nodes": [index],
        }
        for index, name in enumerate(names)
    ]
    content = {
        "partita": {"format": "plan", "version": 1},
        "workload": "model",
        "model": {"file": model, "fingerprint": "f00d"},
        "time_unit": unit,
        "objective": "max-load",
        "shape": "staged",
        "transfers": "sum",
        "status": "optimal",
        "value": value,
        "bound": value,
        "devices": devices,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def samples(model, count, seed=1):
    """Random inputs, each sample its own; open dimensions are 1."""
    numbers = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        made.append(
            {
                name: numbers.standard_normal([e if isinstance(e, int) else 1 for e in model.types[name][1]]).astype(
                    "float32"
                )
                for name in model.inputs
            }
        )
    return made
