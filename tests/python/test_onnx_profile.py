# SPDX-License-Identifier: Apache-2.0
"""Measuring ONNX models: the graph that is measured, what is made of the profiler's events, and the files. No test
looks at how long anything takes."""

import doctest
import importlib
import json
import subprocess

import pytest

pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import numpy as np
import onnx
import onnx_support as support
from onnx import TensorProto, helper

from partita.errors import InputError, MissingPackage
from partita.onnx.events import operator_times
from partita.onnx.inputs import feeds_for
from partita.onnx.measurement import Link, Measurement, OperatorTime, Time
from partita.onnx.optimising import optimise
from partita.onnx.profiling import find_devices, profile
from partita.onnx.segments import agreeing, piece_of_each, write_pieces
from partita.onnx.statistics import center, without_bookkeeping
from partita.onnx.transfers import fit


def cnn(path):
    """What ONNX Runtime makes operators of its own of: blocked convolutions, Gelu, normalisation with a skip."""
    rng = np.random.default_rng(1)

    def weight(name, *shape):
        return onnx.numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32) * 0.1, name)

    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("Relu", ["c0"], ["r0"]),
        helper.make_node("MaxPool", ["r0"], ["p0"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p0", "w1"], ["c1"], kernel_shape=[1, 1]),
        helper.make_node("Reshape", ["c1", "shape"], ["f"]),
        helper.make_node("Add", ["f", "f2"], ["s"]),
        helper.make_node("MatMul", ["f", "w2"], ["f2"]),
        helper.make_node("LayerNormalization", ["s", "g", "b"], ["n"]),
        helper.make_node("Erf", ["n"], ["y"]),
    ]
    nodes[5], nodes[6] = nodes[6], nodes[5]
    weights = [
        weight("w0", 16, 3, 3, 3),
        weight("w1", 32, 16, 1, 1),
        weight("w2", 64, 64),
        weight("g", 64),
        weight("b", 64),
        onnx.numpy_helper.from_array(np.array([0, 32, 64]), "shape"),
    ]
    graph = helper.make_graph(
        nodes,
        "cnn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 16, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def branching(path):
    """An If whose body has an operator with the name of one outside."""
    inside = helper.make_graph(
        [helper.make_node("Relu", ["a"], ["t"], name="relu")],
        "then",
        [],
        [helper.make_tensor_value_info("t", TensorProto.FLOAT, None)],
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["a"], ["e"], name='odd "name"')],
        "else",
        [],
        [helper.make_tensor_value_info("e", TensorProto.FLOAT, None)],
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["a"], name="relu"),
        helper.make_node("If", ["yes"], ["b"], name="if", then_branch=inside, else_branch=other),
        helper.make_node("Exp", ["b"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "branching",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [4]),
            helper.make_tensor_value_info("yes", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.mark.parametrize("level", ["none", "basic", "extended", "all"])
def test_the_optimised_model_knows_every_name_and_shape(tmp_path, level):
    model = cnn(tmp_path / "m.onnx")
    made = optimise(model, tmp_path / "o" / "m.onnx", level=level, dims={"batch": 2})
    graph = onnx.load(made.path).graph
    names = [node.name for node in graph.node]
    assert all(names) and len(set(names)) == len(names)
    shapes = {v.name: v.type.tensor_type for v in (*graph.value_info, *graph.output, *graph.input)}
    for node in graph.node:
        for name in node.output:
            assert not name or all(d.HasField("dim_value") for d in shapes[name].shape.dim), name
    assert [d.dim_value for d in shapes["x"].shape.dim] == [2, 3, 16, 16]
    x = {"x": np.random.default_rng(1).standard_normal((2, 3, 16, 16)).astype(np.float32)}
    before, after = support.run_whole(model, x), support.run_whole(made.path, x)
    assert np.allclose(before["y"], after["y"], atol=1e-4)
    assert list(tmp_path.glob("o/.partita*")) == []


def test_partita_knows_all_sizes_of_an_optimised_model(tmp_path):
    made = optimise(cnn(tmp_path / "m.onnx"), tmp_path / "o.onnx", dims={"batch": 2})
    domains = {node.domain for node in onnx.load(made.path).graph.node}
    assert domains - {""}, "ONNX Runtime has put in operators of its own"
    done = subprocess.run(
        [support.program(), "plan", made.path, "--platform", "2xt4"], capture_output=True, text=True, check=True
    )
    assert "unknown shapes" not in done.stdout + done.stderr
    assert "is not known here" not in done.stdout + done.stderr


def test_bodies_are_not_counted_twice(tmp_path):
    model = branching(tmp_path / "m.onnx")
    measurement = profile(
        model,
        devices=1,
        inputs={"x": np.ones(4, np.float32), "yes": np.array(True)},
        repetitions=5,
        folder=tmp_path / "measured",
        level="none",
    )
    assert sorted(one.op for one in measurement.operators) == ["Exp", "If", "Relu"]
    assert all(one.busy > 0 for one in measurement.operators)
    assert "relu" not in {one.name for one in measurement.operators}, "the body has that name"


def test_events(tmp_path):
    def event(category, name, start, duration, arguments="{}"):
        head = f'{{"cat" : "{category}","pid" :1,"tid" :2,"dur" :{duration},"ts" :{start},"ph" : "X","name" :"{name}",'
        return f'{head}"args" : {arguments}}},'

    lines = [
        "[",
        event("Session", "model_run", 0, 99),
        event("Node", "a_kernel_time", 1, 90),
        event("Session", "model_run", 100, 50),
        event("Node", "a_kernel_time", 101, 30),
        event("Node", "b_kernel_time", 120, 5),
        event("Node", "a_fence_before", 1, 1),
        event("Node", 'x"y_kernel_time', 110, 5),
        event("Kernel", "gemm", 121, 40, '{"parent_name": "b_kernel_time"}'),
        "]",
    ]
    (tmp_path / "p.json").write_text("\n".join(lines))
    found = operator_times(tmp_path / "p.json", {"a", "b"}, [1])
    assert found == {"a": [pytest.approx(30e-6)], "b": [pytest.approx(40e-6)]}, (
        "the first run warms up; kernels count where there are any"
    )


def test_operators_add_up_to_the_whole():
    assert center([1.0, 2.0, 9.0]) == Time(2.0, 1.0)
    small = without_bookkeeping([10e-6] * 10 + [1e-3], 1.02e-3)
    assert sum(small) == pytest.approx(1.02e-3)
    assert small[0] < 3e-6 < 0.9e-3 < small[-1], "the same is taken off each, so small ones lose most"
    assert without_bookkeeping([1.0, 3.0], 8.0) == pytest.approx([2.0, 6.0])
    assert piece_of_each([1, 1, 10, 1, 1], 3) == [0, 0, 1, 2, 2]
    assert sum(agreeing([1.0, 1.0, 1.0], [0, 0, 1], [4.0, 3.0], 6.0)) == pytest.approx(6.0)
    assert agreeing([1.0, 1.0, 1.0], [0, 0, 1], [4.0, 2.0], 6.0) == pytest.approx([2.0, 2.0, 2.0])


def test_the_fit_of_links():
    rows = [(t, b, 20e-6 + 2 * (t * 1e-6 + t * b / 5e9)) for t, b in ((1, 4096), (8, 4096), (1, 1 << 18), (1, 1 << 21))]
    link = fit(rows)
    assert (
        link.latency == pytest.approx(1e-6)
        and link.bandwidth == pytest.approx(5e9)
        and link.stage_overhead == pytest.approx(20e-6)
    )
    none = fit([(t, b, 0.0) for t, b, _ in rows])
    assert none.latency == none.stage_overhead == 0 and none.bandwidth == 1e11


def test_pieces_make_what_the_model_makes(tmp_path):
    made = optimise(support.layers_model(tmp_path / "m.onnx"), tmp_path / "o.onnx", level="none")
    pieces = write_pieces(made.path, made.feeds, [i // 5 for i in range(made.nodes)], tmp_path)
    assert len(pieces) == 4
    from partita.onnx.inputs import Feeds

    last = support.run_whole(pieces[-1]["model"], Feeds.read(pieces[-1]["feeds"]).arrays)
    support.assert_equal_bits(support.run_whole(made.path, made.feeds.arrays), last)


def test_a_measurement_is_written_read_and_planned(tmp_path):
    support.needs_two_cores()
    measurement = profile(
        support.layers_model(tmp_path / "m.onnx"),
        devices=2,
        repetitions=5,
        folder=tmp_path / "measured",
        dims={"batch": 4},
    )
    assert Measurement.read(tmp_path / "measured") == measurement
    assert measurement.ratio > 0 and measurement.sum_over_whole > 0 and "passing a tensor" in str(measurement)
    total = measurement.whole.seconds + 2 * measurement.link.stage_overhead
    assert sum(one.seconds for one in measurement.operators) == pytest.approx(total)
    program = support.program()
    measured = tmp_path / "measured"
    done = subprocess.run(
        [
            program,
            "convert",
            measurement.model,
            "--profile",
            measured / "measurement.json",
            "--platform",
            measured / "platform.json",
            "--to",
            "workload",
        ],
        capture_output=True,
        check=True,
    )
    workload = json.loads(done.stdout)
    nodes = {node["name"]: node for node in workload["nodes"]}
    for one in measurement.operators:
        assert nodes[one.name]["source"] == "measured"
        assert nodes[one.name]["fpgaLatency"] == pytest.approx(1e3 * one.seconds, rel=1e-6)


def test_what_is_refused(tmp_path, monkeypatch):
    model = support.layers_model(tmp_path / "m.onnx")
    with pytest.raises(InputError, match="need 500 cores"):
        profile(model, devices=500, folder=tmp_path / "f")
    with pytest.raises(InputError, match="NoSuchProvider.*is not there"):
        profile(model, devices=1, providers="NoSuchProvider", folder=tmp_path / "f")
    with pytest.raises(InputError, match="at least 1"):
        find_devices(0, 1, None)
    with pytest.raises(InputError, match="the model itself"):
        profile(model, devices=1, folder=tmp_path)
    with pytest.raises(InputError, match="level"):
        optimise(model, tmp_path / "o.onnx", level="most")
    with pytest.raises(InputError, match="float64; expected float32"):
        feeds_for(model, {"x": np.ones((1, 64))})
    with pytest.raises(InputError, match=r"\[1, 5\]; expected \[batch, 64\]"):
        feeds_for(model, {"x": np.ones((1, 5), np.float32)})
    with pytest.raises(InputError, match="'z' is no input"):
        feeds_for(model, {"z": 1})
    with pytest.raises(InputError, match="'sequence' is no dimension"):
        feeds_for(model, dims={"sequence": 3})
    (tmp_path / "text.onnx").write_text("no model, and no protocol buffer either")
    with pytest.raises(InputError, match="is no ONNX model"):
        profile(tmp_path / "text.onnx", devices=1, folder=tmp_path / "f")
    assert not (tmp_path / "f").exists()
    from partita.onnx import planning_seam

    monkeypatch.setattr(planning_seam, "has_compiled", lambda: False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PARTITA", raising=False)
    with pytest.raises(MissingPackage, match="program partita"):
        planning_seam.plan_measured(_made_up(model), tmp_path / "plan.json", tmp_path / "f")


def _made_up(model, seconds=1e-3):
    names = [node.name for node in onnx.load(model).graph.node]
    return Measurement(
        model=model,
        devices=("core 0", "core 1"),
        cores_per_device=1,
        provider="CPUExecutionProvider",
        operators=tuple(OperatorTime(name, "Op", seconds, 1e-5, seconds, None) for name in names),
        whole=Time(seconds * len(names), 1e-4),
        whole_alone=None,
        sum_of_operators=seconds * len(names),
        link=Link(1e-6, 5e9, 1e-5),
        memory=1 << 30,
    )


def test_a_spread_above_the_gain_is_told(tmp_path):
    measurement = _made_up(support.layers_model(tmp_path / "m.onnx"))
    assert measurement.warning(0.5) is None
    assert "more than the 0 %" in measurement.warning(0.001)


def test_the_command_line(tmp_path, capsys):
    from partita.__main__ import main

    model = support.layers_model(tmp_path / "m.onnx")
    wanted = [
        "profile",
        str(model),
        "--devices",
        "1",
        "--repetitions",
        "5",
        "-o",
        str(tmp_path / "measured"),
        "--dim",
        "batch=2",
        "--level",
        "none",
    ]
    assert main(wanted) == 0
    assert "19 operators" in capsys.readouterr().out
    assert Measurement.read(tmp_path / "measured").settings["dims"] == {"batch": 2}
    assert main(["profile", str(tmp_path / "none.onnx"), "--devices", "1"]) == 2
    assert "none.onnx: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["onnx.statistics", "onnx.segments", "onnx.transfers", "running.even"])
def test_examples(module):
    found = doctest.testmod(importlib.import_module(f"partita.{module}"))
    assert found.attempted and not found.failed


def test_names_mean_functions_whatever_was_loaded_before():
    import partita
    import partita.running.whole

    assert callable(partita.onnx.profile) and callable(partita.onnx.split) and callable(partita.onnx.optimise)
