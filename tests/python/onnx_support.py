# SPDX-License-Identifier: Apache-2.0
"""What tests of partita.onnx share: the program, small models, stages run one after the other."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def program():
    """Where the program partita is, else the test is skipped."""
    built = ROOT / "build" / "partita"
    found = os.environ.get("PARTITA") or (str(built) if built.is_file() else shutil.which("partita"))
    if not found:
        pytest.skip("the program partita is not there: build it, or name it in PARTITA")
    return found


def needs_two_cores():
    """Devices have cores of their own: with a single core the test is skipped."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two devices need two cores, and this process may use one")


def random_model(seed, folder, blocks=16):
    """A model with everything that makes cutting hard, and inputs for it."""
    sys.path.insert(0, str(ROOT / "tests" / "write"))
    try:
        import random_models
    finally:
        sys.path.pop(0)
    return random_models.write_model(seed, str(folder), blocks=blocks)


def layers_model(path, layers=6, width=64, batch=8):
    """Products of matrices, each with a bias and a Relu, of unequal widths; every other one skips to the end."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    numbers = np.random.default_rng(3)
    nodes, weights, last, size = [], [], "x", width
    for layer in range(layers):
        wide = width * (1 + layer % 3)
        weights.append(
            numpy_helper.from_array(numbers.standard_normal((size, wide)).astype(np.float32) / size, f"w{layer}")
        )
        weights.append(numpy_helper.from_array(numbers.standard_normal(wide).astype(np.float32), f"b{layer}"))
        nodes += [
            helper.make_node("MatMul", [last, f"w{layer}"], [f"m{layer}"], name=f"product{layer}"),
            helper.make_node("Add", [f"m{layer}", f"b{layer}"], [f"a{layer}"], name=f"bias{layer}"),
            helper.make_node("Relu", [f"a{layer}"], [f"r{layer}"], name=f"relu{layer}"),
        ]
        last, size = f"r{layer}", wide
    nodes.append(helper.make_node("ReduceMean", [last], ["y"], name="mean", axes=[1]))
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", width])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 1])],
        weights,
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def session(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_whole(path, feeds):
    one = session(path)
    return dict(zip([value.name for value in one.get_outputs()], one.run(None, feeds)))


def run_stages(folder, feeds):
    """What the stages make, fed as pipeline.json says and in no other way."""
    pipeline = json.loads((Path(folder) / "pipeline.json").read_text())
    made = []
    for stage in pipeline["stages"]:
        one = session(Path(folder) / stage["file"])
        given = {}
        for value in stage["inputs"]:
            if not value.get("optional"):
                source = value["from"]
                assert not pipeline["chain"] or source == (
                    "input" if stage["stage"] == 0 else {"stage": stage["stage"] - 1}
                )
                given[value["name"]] = (
                    feeds[value["name"]] if source == "input" else made[source["stage"]][value["name"]]
                )
        names = [value["name"] for value in stage["outputs"]]
        assert names == [value.name for value in one.get_outputs()]
        made.append(dict(zip(names, one.run(None, given))))
    return {value["name"]: made[value["from"]["stage"]][value["name"]] for value in pipeline["outputs"]}


def assert_equal_bits(expected, found):
    import numpy as np

    assert expected.keys() == found.keys()
    for name in expected:
        a, b = np.asarray(expected[name]), np.asarray(found[name])
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), name


def write_plan(path, model, device_of, shape="staged", devices=None):
    """A plan with this device for each node, by the names that Partita gives them."""
    import onnx

    from partita.onnx.plan_stages import names_in_plans

    names = names_in_plans(onnx.load(model, load_external_data=False))
    devices = devices or max(device_of) + 1
    rows = []
    for device in range(devices):
        nodes = [i for i, d in enumerate(device_of) if d == device]
        rows.append(
            {
                "name": f"core {device}",
                "kind": "accelerator",
                "index": device,
                "load": 1,
                "compute": 1,
                "in": 0,
                "out": 0,
                "stage": device if shape == "staged" and nodes else None,
                "nodes": nodes,
            }
        )
    document = {
        "partita": {"format": "plan", "version": 1},
        "workload": "w",
        "model": {"file": Path(model).name, "fingerprint": "f"},
        "status": "feasible",
        "value": 1,
        "objective": "max-load",
        "shape": shape,
        "transfers": "sum",
        "time_unit": "ms",
        "devices": rows,
        "node_names": {str(i): name for i, name in enumerate(names)},
    }
    Path(path).write_text(json.dumps(document))
    return path
