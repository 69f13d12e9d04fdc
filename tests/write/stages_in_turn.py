# SPDX-License-Identifier: Apache-2.0
"""A model, and its stages one after the other, in ONNX Runtime; and whether they make the same, bit for bit."""

import json
import os

import numpy as np
import onnxruntime


def session(model):
    """Of a file or of a model's bytes: as it is, on one thread, so that results are the same in every bit."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    content = model if isinstance(model, bytes) else os.fspath(model)
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def run_whole(model, feeds):
    """Outputs by name."""
    one = session(model)
    return dict(zip([o.name for o in one.get_outputs()], one.run(None, feeds)))


def run_stages(folder, feeds):
    """What the stages make, fed as pipeline.json says and in no other way."""
    with open(os.path.join(folder, "pipeline.json"), encoding="utf-8") as file:
        pipeline = json.load(file)
    made = []
    for stage in pipeline["stages"]:
        one = session(os.path.join(folder, stage["file"]))
        given = {}
        for value in stage["inputs"]:
            if value.get("optional"):
                continue
            source = value["from"]
            if pipeline["chain"]:
                before = "input" if stage["stage"] == 0 else {"stage": stage["stage"] - 1}
                assert source == before, (stage["stage"], value)
            given[value["name"]] = feeds[value["name"]] if source == "input" else made[source["stage"]][value["name"]]
        names = [o.name for o in one.get_outputs()]
        assert names == [o["name"] for o in stage["outputs"]], (names, stage["outputs"])
        assert {i.name for i in one.get_inputs()} == set(given), stage
        made.append(dict(zip(names, one.run(None, given))))
        for value in stage["inputs"] + stage["outputs"]:
            tensor = given.get(value["name"], made[-1].get(value["name"]))
            is_known = isinstance(value["shape"], list) and all(isinstance(extent, int) for extent in value["shape"])
            if isinstance(tensor, np.ndarray) and value["bytes"] is not None and is_known:
                assert list(tensor.shape) == value["shape"] and tensor.nbytes == value["bytes"], value
    return {o["name"]: made[o["from"]["stage"]][o["name"]] for o in pipeline["outputs"]}


def difference(a, b):
    """What differs between outputs, in words; None where they are equal in every bit."""
    if a.keys() != b.keys():
        return f"outputs {sorted(b)} instead of {sorted(a)}"
    for name in a:
        x, y = np.asarray(a[name]), np.asarray(b[name])
        if x.dtype != y.dtype or x.shape != y.shape or x.tobytes() != y.tobytes():
            return f"output {name!r} differs: {x.dtype}{x.shape}, {y.dtype}{y.shape}"
    return None
