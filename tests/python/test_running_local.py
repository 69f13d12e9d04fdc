# SPDX-License-Identifier: Apache-2.0
"""Pipelines of processes: results equal the whole model's in every bit and in order, whatever the shape of the
pipeline."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import partita
from left_behind import descriptors, memory_files, stage_processes
from models import Model, chain, chain_groups, cut, helper, plan_of, samples
from onnx import TensorProto
from partita.running.feeds import random_sample

WORKLOADS = Path(__file__).resolve().parents[3] / "shared" / "workloads" / "onnx"


def run(folder, *arguments, **options):
    options.setdefault("oversubscribe", True)
    return partita.run(folder, *arguments, **options)


def assert_same(model, feeds, outputs):
    assert len(outputs) == len(feeds)
    for feed, made in zip(feeds, outputs):
        expected = model.expected(feed)
        assert made.keys() == expected.keys()
        for name, array in expected.items():
            assert made[name].dtype == array.dtype and made[name].shape == array.shape
            assert made[name].tobytes() == array.tobytes(), name


def test_results_are_those_of_the_whole_model_in_order_and_nothing_is_left(tmp_path):
    model = chain(layers=6)
    folder = cut(model, tmp_path / "stages", chain_groups(6, 3))  # h0 skips the stage in the middle
    feeds = samples(model, 40)
    before = descriptors()
    result = run(folder, inputs=feeds)
    assert_same(model, feeds, result.outputs)
    assert descriptors() == before and not memory_files() and not stage_processes(os.getpid())
    assert [device.name for device in result.measured.devices] == ["core 0", "core 1", "core 2"]
    assert "time per sample" in repr(result)


@pytest.mark.parametrize("window", [1, 2, 3])
def test_any_window_keeps_results_and_order(tmp_path, window):
    model = chain(layers=4)
    folder = cut(model, tmp_path / "stages", chain_groups(4, 2))
    feeds = samples(model, 12)
    assert_same(model, feeds, run(folder, inputs=iter(feeds), window=window).outputs)


def test_a_device_with_several_stages_runs_them_in_one_process(tmp_path):
    model = chain(layers=4)
    groups = [["matmul0", "tanh0"], ["matmul1", "tanh1"], ["matmul2", "tanh2"], ["matmul3", "tanh3", "add"]]
    folder = cut(model, tmp_path / "stages", groups, devices=["core 0", "core 1", "core 0", "core 1"])
    feeds = samples(model, 30)
    result = run(folder, inputs=feeds)
    assert_same(model, feeds, result.outputs)
    assert [device.stages for device in result.measured.devices] == [(0, 2), (1, 3)]
    assert len(result.measured.stages) == 4


def test_devices_take_turns_with_a_stage(tmp_path):
    model = chain(layers=4)
    folder = cut(
        model, tmp_path / "stages", chain_groups(4, 2), devices=["core 0", "core 3"], copies={0: ["core 1", "core 2"]}
    )
    feeds = samples(model, 31)
    result = run(folder, inputs=feeds)
    assert_same(model, feeds, result.outputs)
    of_first = {one.device: one.samples.tolist() for one in result.stamps if one.stage == 0}
    assert of_first == {f"core {copy}": list(range(copy, 31, 3)) for copy in range(3)}
    assert result.measured.devices[0].sharing == 3


def test_copies_of_two_stages_in_a_row(tmp_path):
    model = chain(layers=4)
    folder = cut(model, tmp_path / "stages", chain_groups(4, 3), devices=["a", "c", "f"],
                 copies={0: ["b"], 1: ["d", "e"]})
    feeds = samples(model, 25)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)


def test_one_stage_alone_is_a_pipeline_too(tmp_path):
    model = chain(layers=2)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 1))
    feeds = samples(model, 5)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)


def test_outputs_of_early_stages_and_values_that_are_passed_on(tmp_path):
    nodes = [helper.make_node("Neg", ["x"], ["a"], "neg"), helper.make_node("Abs", ["a"], ["b"], "abs"),
             helper.make_node("Add", ["b", "k"], ["c"], "add")]
    model = Model(nodes, ["x", "k"], ["a", "c"], {name: (TensorProto.FLOAT, [2, 3]) for name in "xkabc"}, {})
    folder = cut(model, tmp_path / "stages", [["neg"], ["abs"], ["add"]])
    feeds = samples(model, 9)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)


def test_an_output_that_a_stage_only_hands_on_is_moved_to_its_slot(tmp_path):
    """As stages of `partita split --chain` do: the graph's output is its input, which ONNX Runtime leaves where it
    is."""
    model = chain(layers=2)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    stage = model.proto(model.nodes[:2], ["x"], ["h0", "x"])
    onnx.save(stage, folder / "stage_0.onnx")
    content = json.loads((folder / "pipeline.json").read_text())
    passed_on = dict(content["inputs"][0])
    content["stages"][0]["outputs"].append(passed_on)
    content["outputs"].append({**passed_on, "from": {"stage": 0}})
    (folder / "pipeline.json").write_text(json.dumps(content))
    feeds = samples(model, 20)
    outputs = run(folder, inputs=feeds).outputs
    for feed, made in zip(feeds, outputs):
        assert made["x"].tobytes() == feed["x"].tobytes()
        assert made["y"].tobytes() == model.expected(feed)["y"].tobytes()


def test_two_stages_that_do_not_know_each_other_both_are_waited_for(tmp_path):
    nodes = [helper.make_node("Neg", ["x"], ["a"], "neg"), helper.make_node("Abs", ["x"], ["b"], "abs"),
             helper.make_node("Mul", ["a", "b"], ["y"], "mul")]
    model = Model(nodes, ["x"], ["y"], {name: (TensorProto.FLOAT, [4]) for name in "xaby"}, {})
    folder = cut(model, tmp_path / "stages", [["neg"], ["abs"], ["mul"]])
    feeds = samples(model, 30)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)


def test_open_dimensions_may_differ_from_sample_to_sample(tmp_path):
    model = chain(layers=4, batch="batch")
    folder = cut(model, tmp_path / "stages", chain_groups(4, 2))
    numbers = np.random.default_rng(3)
    feeds = [{"x": numbers.standard_normal((1 + k % 5, 16)).astype("float32")} for k in range(20)]
    assert_same(model, feeds, run(folder, inputs=feeds, dims={"batch": 5}).outputs)


def test_a_sample_that_does_not_fit_is_refused_by_name(tmp_path):
    model = chain(layers=4, batch="batch")
    folder = cut(model, tmp_path / "stages", chain_groups(4, 2))
    feeds = [{"x": np.zeros((size, 16), "float32")} for size in (2, 4, 9)]
    with pytest.raises(partita.Error, match=r"x of shape \[9, 16\] takes 576 bytes, but 256 are reserved.*--dim"):
        run(folder, inputs=feeds, dims={"batch": 4})
    assert not stage_processes(os.getpid())


def test_one_sample_of_open_shape_repeated_has_known_shapes(tmp_path):
    model = chain(layers=4, batch="batch")
    folder = cut(model, tmp_path / "stages", chain_groups(4, 2))
    feed = {"x": np.random.default_rng(3).standard_normal((7, 16)).astype("float32")}
    outputs = run(folder, inputs=feed, samples=10).outputs
    assert_same(model, [feed] * 10, outputs)


def test_types_of_two_bytes_pass_between_stages(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    nodes = [helper.make_node("Cast", ["x"], ["a"], "to_bf16", to=TensorProto.BFLOAT16),
             helper.make_node("Cast", ["a"], ["b"], "to_fp32", to=TensorProto.FLOAT),
             helper.make_node("Cast", ["b"], ["y"], "to_fp16", to=TensorProto.FLOAT16)]
    kinds = {"x": TensorProto.FLOAT, "a": TensorProto.BFLOAT16, "b": TensorProto.FLOAT, "y": TensorProto.FLOAT16}
    model = Model(nodes, ["x"], ["y"], {name: (kind, [5]) for name, kind in kinds.items()}, {})
    folder = cut(model, tmp_path / "stages", [["to_bf16"], ["to_fp32", "to_fp16"]])
    feeds = samples(model, 6)
    for feed, made in zip(feeds, run(folder, inputs=feeds).outputs):
        assert np.array_equal(made["y"], feed["x"].astype(ml_dtypes.bfloat16).astype("float32").astype("float16"))


def test_random_inputs_are_made_without_any(tmp_path):
    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    result = run(folder, samples=15)
    assert len(result.outputs) == 15 and result.measured.samples == 15
    assert all(np.array_equal(made["y"], result.outputs[0]["y"]) for made in result.outputs)


def test_results_stream_while_samples_are_still_to_come(tmp_path):
    from partita.running import stream

    model = chain(layers=2)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    feeds = samples(model, 30)
    given = []

    def source():
        for feed in feeds:
            given.append(feed)
            yield feed

    results = stream(folder, inputs=source(), window=3, oversubscribe=True)
    first = next(results)
    assert len(given) == 3  # no more than the window
    assert_same(model, feeds[:1], [first])
    results.close()
    assert not stage_processes(os.getpid()) and not memory_files()


@pytest.mark.parametrize("name, options", [
    ("tiny_gpt2", ["--platform", "2xa100"]), ("tiny_gpt2", ["--platform", "3xa100", "--replicate", "2"]),
    ("squeezenet_ts", ["--platform", "3xa100", "--shape", "free", "--time-limit", "2"])])
def test_real_models_are_cut_and_run_along_a_plan(tmp_path, name, options):
    program = os.environ.get("PARTITA") or shutil.which("partita")
    model = WORKLOADS / f"{name}.onnx"
    if program is None or not model.is_file():
        pytest.skip("needs the program (PARTITA) and the models of the workloads folder")
    plan = tmp_path / "plan.json"
    subprocess.run([program, "plan", model, *options, "-o", plan, "-q"], check=True, capture_output=True)
    result = run(model, plan, samples=8)
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), settings, providers=["CPUExecutionProvider"])
    expected = session.run(None, random_sample(result.pipeline))
    names = [value.name for value in session.get_outputs()]
    for made in result.outputs:
        assert all(made[name].tobytes() == array.tobytes() for name, array in zip(names, expected))
    assert result.measured.predicted is not None and result.measured.fingerprint
    assert not result.pipeline.folder.exists()  # it was made for this run


def test_the_plan_is_measured_against(tmp_path):
    folder = cut(chain(layers=4), tmp_path / "stages", chain_groups(4, 2))
    plan = plan_of(folder, tmp_path / "plan.json", value=2000, unit="us")
    result = run(folder, plan, samples=30)
    assert result.measured.predicted == 2.0
    assert result.measured.error == pytest.approx(result.measured.time_per_sample / 2 - 1)
    assert result.measured.devices[0].predicted.load == 2.0
    assert "2 ms predicted" in repr(result)


def test_scalars_empty_tensors_and_stages_that_read_nothing(tmp_path):
    nodes = [helper.make_node("ReduceSum", ["x"], ["s"], "sum", keepdims=0),
             helper.make_node("Neg", ["e"], ["f"], "neg"),
             helper.make_node("Constant", [], ["k"], "constant", value_float=2.5),
             helper.make_node("Mul", ["s", "k"], ["y"], "mul"), helper.make_node("Abs", ["f"], ["g"], "abs")]
    shapes = {"x": [3], "e": [0, 4], "s": [], "f": [0, 4], "k": [], "y": [], "g": [0, 4]}
    types = {name: (TensorProto.FLOAT, shape) for name, shape in shapes.items()}
    model = Model(nodes, ["x", "e"], ["y", "g"], types, {})
    folder = cut(model, tmp_path / "stages", [["sum", "neg"], ["constant"], ["mul", "abs"]])
    feeds = samples(model, 9)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)


def test_results_of_unknown_size_pass_if_they_fit(tmp_path):
    """NonZero: only the sample tells how many there are."""
    nodes = [helper.make_node("Relu", ["x"], ["p"], "relu"), helper.make_node("NonZero", ["p"], ["i"], "nonzero"),
             helper.make_node("Neg", ["i"], ["y"], "neg")]
    types = {"x": (TensorProto.FLOAT, [8]), "p": (TensorProto.FLOAT, [8]), "i": (TensorProto.INT64, [1, "found"]),
             "y": (TensorProto.INT64, [1, "found"])}
    model = Model(nodes, ["x"], ["y"], types, {})
    folder = cut(model, tmp_path / "stages", [["relu"], ["nonzero"], ["neg"]], bytes_of={"i": 64, "y": 64})
    feeds = samples(model, 20)
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)
    small = cut(model, tmp_path / "small", [["relu"], ["nonzero"], ["neg"]], bytes_of={"i": 8, "y": 8})
    refused = r"core 1 \(stage 1\): i of shape \[1, \d\] takes \d+ bytes, but 8 are reserved"
    with pytest.raises(partita.RunError, match=refused):
        run(small, inputs=feeds)


def test_devices_given_as_objects_keep_their_cores(tmp_path):
    from partita.running.devices import Device

    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    core = min(os.sched_getaffinity(0))
    result = run(folder, samples=5, devices=[Device("any", cores=(core,)), Device("other", cores=(core,))])
    assert [device.name for device in result.measured.devices] == ["core 0", "core 1"]
    assert all(device.settings["cores"] == [core] for device in result.measured.devices)
    with pytest.raises(partita.InputError, match="devices: found a mixture"):
        run(folder, samples=5, devices=[Device("any"), "cpu"])


def test_several_threads_for_a_device(tmp_path):
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("needs two cores")
    model = chain(layers=2, width=64)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    result = run(folder, samples=10, cores_per_device=2)
    assert all(len(device.settings["cores"]) == 2 for device in result.measured.devices)
    expected = model.expected(random_sample(result.pipeline))["y"]
    assert all(np.allclose(made["y"], expected, rtol=1e-5) for made in result.outputs)
