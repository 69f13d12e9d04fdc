# SPDX-License-Identifier: Apache-2.0
"""Pipelines over Ray: results equal the whole model's in every bit, in order, each once, also if actors are killed
meanwhile."""

import importlib.util
import os
import signal
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
if importlib.util.find_spec("ray") is None:  # the engine imports it, in its own way
    pytest.skip("the package ray is not installed", allow_module_level=True)

import partita
from left_behind import all_gone
from models import Model, chain, chain_groups, cut, helper, samples
from onnx import TensorProto
from partita.pipeline import Pipeline
from partita.running import ray_hosts
from partita.running.feeds import Feeds
from partita.running.ray_cluster import end_ray, ray_module, short_folder, start_ray
from partita.running.ray_engine import RayEngine


@pytest.fixture(scope="module", autouse=True)
def ray():
    """One Ray for all tests of this file, of which the engine makes use as it would of any cluster."""
    folder = short_folder()
    start_ray(folder, cores=3, store_bytes=200 << 20)
    yield ray_module()
    end_ray(folder)


def run(folder, **options):
    return partita.run(folder, engine="ray", **options)


def engine_of(folder, feeds, **options):
    pipeline = Pipeline.read(folder)
    return RayEngine(pipeline, None, Feeds(pipeline, feeds), **options)


def assert_same(model, feeds, outputs):
    assert len(outputs) == len(feeds)
    for feed, made in zip(feeds, outputs):
        expected = model.expected(feed)
        assert made.keys() == expected.keys()
        for name, array in expected.items():
            assert made[name].dtype == array.dtype and made[name].shape == array.shape
            assert made[name].tobytes() == array.tobytes() and made[name].flags.writeable, name


def everything():
    """Tensors that skip stages, inputs and outputs of several of them, stages that do not know each other, open
    dimensions, and a type that NumPy does not have."""
    nodes = [helper.make_node("Neg", ["x"], ["a"], "neg"), helper.make_node("Abs", ["k"], ["b"], "abs"),
             helper.make_node("Cast", ["a"], ["c"], "to_bf16", to=TensorProto.BFLOAT16),
             helper.make_node("Cast", ["c"], ["d"], "to_fp32", to=TensorProto.FLOAT),
             helper.make_node("Sum", ["x", "a", "b", "d"], ["y"], "sum")]
    types = {name: (TensorProto.FLOAT, ["batch", 3]) for name in "xkabdy"}
    model = Model(nodes, ["x", "k"], ["b", "y", "a"], {**types, "c": (TensorProto.BFLOAT16, ["batch", 3])}, {})
    return model, [["neg"], ["abs"], ["to_bf16"], ["to_fp32"], ["sum"]]


@pytest.mark.parametrize("group", [pytest.param(1, marks=pytest.mark.long), 3])
def test_results_are_those_of_the_whole_model_in_order(tmp_path, group):
    model, groups = everything()
    # a device with two stages, one behind the other with another between; two devices that take turns
    folder = cut(model, tmp_path / "stages", groups, devices=["a", "b", "b", "a", "c"], copies={2: ["c"]})
    numbers = np.random.default_rng(3)
    feeds = [{name: numbers.standard_normal((1 + number % 3, 3)).astype("float32") for name in "xk"}
             for number in range(40)]
    result = run(folder, inputs=iter(feeds), group=group)
    assert_same(model, feeds, result.outputs)
    assert [device.stages for device in result.measured.devices] == [(0, 3), (1, 2), (2, 4)]
    ran = {(one.stage, one.device): one.samples.tolist() for one in result.stamps}
    assert sorted(ran[2, "b"] + ran[2, "c"]) == list(range(40)) and ran[2, "c"][:group] == list(range(group, 2 * group))
    for one in result.stamps:
        assert (np.diff(one.moments, axis=1) >= 0).all()  # began, ready, computing, computed, done
    first, last = (next(one for one in result.stamps if one.stage == stage) for stage in (0, 4))
    assert (first.moments[:, 3] <= last.moments[:, 2]).all()


@pytest.mark.long
def test_samples_travel_together_when_stages_are_quick_but_no_more_than_the_window(tmp_path):
    model = chain(layers=3)
    folder = cut(model, tmp_path / "stages", chain_groups(3, 3))
    feeds = samples(model, 200)
    given = []

    def source():
        for feed in feeds:
            given.append(feed)
            yield feed

    with engine_of(folder, source(), window=24) as engine:
        made = []
        for number, outputs in enumerate(engine.stream()):
            made.append(outputs)
            assert len(given) <= number + 24
        assert engine._group_size() > 1 and engine.window == 24
    assert_same(model, feeds, made)


@pytest.mark.long
def test_large_tensors_pass_through_the_object_store_and_leave_it(tmp_path):
    """30 samples of 2 MB in 3 stages are more than the store holds."""
    model = chain(layers=3, width=64, batch=8192)
    folder = cut(model, tmp_path / "stages", chain_groups(3, 3))
    feeds = samples(model, 30)
    result = run(folder, inputs=feeds)
    assert_same(model, feeds, result.outputs)
    assert result.measured.engine == "ray" and result.measured.time_per_sample > 0


def test_killed_actors_are_started_anew_and_every_result_comes_once(tmp_path, capfd):
    model = chain(layers=3)
    folder = cut(model, tmp_path / "stages", chain_groups(3, 3))
    feeds = samples(model, 300)
    victims = {20: ["core 0"], 70: ["core 1"], 120: ["core 2"], 170: ["core 2", "core 0"]}
    made = []
    with engine_of(folder, feeds, group=2) as engine:
        for number, outputs in enumerate(engine.stream()):
            made.append(outputs)
            for name in victims.get(number, ()):
                os.kill(engine.pids()[name], signal.SIGKILL)
        assert engine.restarted == 5
        ran = [one.samples.tolist() for one in engine.stamps()]
        pids = engine.pids().values()
    assert ran == [list(range(300))] * 3
    assert_same(model, feeds, made)
    assert all_gone(pids)
    assert "died" not in "".join(capfd.readouterr())  # of what was mended nobody needs to hear


@pytest.mark.long
def test_a_stage_that_is_lost_again_and_again_ends_the_run(tmp_path):
    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    feeds = samples(chain(layers=2), 200)
    with pytest.raises(partita.RunError, match="given up after 1 losses without a result.*: The actor died"):
        with engine_of(folder, feeds, restarts=0) as engine:
            pids = engine.pids()
            for number, _ in enumerate(engine.stream()):
                if number == 5:
                    os.kill(pids["core 1"], signal.SIGKILL)
    assert all_gone(pids.values())


def test_an_error_of_the_model_is_reported_once_in_its_own_words(tmp_path, capfd):
    nodes = [helper.make_node("Neg", ["x"], ["i"], "neg"), helper.make_node("Gather", ["table", "i"], ["y"], "gather")]
    model = Model(nodes, ["x"], ["y"], {"x": (TensorProto.INT64, [2]), "i": (TensorProto.INT64, [2]),
                                        "y": (TensorProto.FLOAT, [2, 4])}, {"table": np.zeros((3, 4), "float32")})
    folder = cut(model, tmp_path / "stages", [["neg"], ["gather"]])
    feeds = [{"x": np.array([0, -1 if number < 7 else -5])} for number in range(20)]
    made = []
    with pytest.raises(partita.RunError, match=r"^core 1 \(stage 1\), sample 7: .*indices.*$") as caught:
        with engine_of(folder, feeds, group=1) as engine:
            for outputs in engine.stream():
                made.append(outputs)
    assert len(made) == 7 and engine.restarted == 0
    assert "\n" not in str(caught.value) and caught.value.__cause__ is None
    assert "RunError" not in capfd.readouterr().err


@pytest.mark.long
def test_files_that_a_node_does_not_have_are_sent_to_it(tmp_path, monkeypatch):
    """As on a cluster without a shared file system; weights lie in files beside the stages."""
    model = chain(layers=2, width=64)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    for stage in range(2):
        move_weights_out(folder / f"stage_{stage}.onnx", "weights.bin" if stage == 0 else "stage_1.data")
    describe(folder, files=["stage_0.onnx", "stage_1.onnx", "weights.bin", "stage_1.data"], data={1: "stage_1.data"})
    pipeline = Pipeline.read(folder)
    assert [[file.name for file in ray_hosts.files_of(pipeline, [stage])] for stage in pipeline.stages] == [
        ["stage_0.onnx", "weights.bin"], ["stage_1.onnx", "weights.bin", "stage_1.data"]]
    feeds = samples(model, 6)
    moved = tmp_path / "moved"
    load = ray_hosts.Hosts._load

    def hide_and_load(self, name):  # whoever reads the folder now has lost
        if folder.exists():
            folder.rename(moved)
        return load(self, name)

    monkeypatch.setattr(ray_hosts.FileMark, "of", staticmethod(lambda path: ray_hosts.FileMark(0, 0, 0)))
    monkeypatch.setattr(ray_hosts.Hosts, "_load", hide_and_load)
    monkeypatch.setattr(ray_hosts, "_PART", 1000)
    before = set(Path("/tmp").glob("partita-ray-files-*"))
    assert_same(model, feeds, run(folder, inputs=feeds).outputs)
    assert moved.exists() and set(Path("/tmp").glob("partita-ray-files-*")) <= before


def move_weights_out(file, location):
    import onnx

    onnx.save(onnx.load(file), file, save_as_external_data=True, location=location, size_threshold=0)


def describe(folder, files, data):
    import json

    content = json.loads((folder / "pipeline.json").read_text())
    content["files"] = files
    for stage, name in data.items():
        content["stages"][stage]["data"] = name
    (folder / "pipeline.json").write_text(json.dumps(content))


def test_what_cannot_work_is_refused_in_one_line(tmp_path):
    model = chain(layers=2)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    feeds = samples(model, 3)
    with pytest.raises(partita.InputError, match="^adress: is no option of the engine ray; it has address, "):
        run(folder, inputs=feeds, adress="auto")
    with pytest.raises(partita.InputError, match="^strategy: found 'NEAR', expected one of PACK, SPREAD"):
        run(folder, inputs=feeds, strategy="NEAR")
    with pytest.raises(partita.InputError, match="^window: found 0"):
        run(folder, inputs=feeds, window=0)
    with pytest.raises(partita.InputError, match="^the plan has stages on 2 devices, but 3 were asked for"):
        run(folder, inputs=feeds, devices=3)
    with pytest.raises(partita.RunError, match=r"^the cluster has no room for 2 devices of 1 CPU, 1 tpu each \(PACK\): "
                                               r"it has 1 node with 3 CPU, and none became free in 1 s"):
        run(folder, inputs=feeds, resources={"tpu": 1}, start_timeout=1)


@pytest.mark.long
def test_a_stage_that_cannot_be_loaded_is_refused_in_its_own_words(tmp_path, ray):
    model = chain(layers=2)
    folder = cut(model, tmp_path / "stages", chain_groups(2, 2))
    (folder / "stage_1.onnx").write_bytes((folder / "stage_0.onnx").read_bytes())
    with pytest.raises(partita.InputError, match="stage_1.onnx: reads x, but pipeline.json says h0"):
        run(folder, inputs=samples(model, 3))
    assert ray.available_resources().get("CPU", 0) > 0 and ray.is_initialized()  # a cluster that was joined goes on
