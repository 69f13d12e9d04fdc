# SPDX-License-Identifier: Apache-2.0
"""Cutting ONNX models in Python: stages compute what the model computes, bit for bit."""

import json
import os
import random
import subprocess

import pytest

pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import onnx
import onnx_support as support

from partita.errors import InputError
from partita.onnx.optimising import optimise
from partita.onnx.splitting import split

SEEDS = range(1, 1 + int(os.environ.get("PARTITA_SPLIT_MODELS", "16")))


def drawn_places(model, rng, devices, shape):
    """A device for each node: of a staged split rows of the file's order, of a free one anything."""
    count = len(onnx.load(model, load_external_data=False).graph.node)
    if shape == "free":
        return [rng.randrange(devices) for _ in range(count)]
    cuts = sorted(rng.sample(range(1, count), devices - 1))
    return [sum(i >= cut for cut in cuts) for i in range(count)]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_models_along_drawn_plans(seed, tmp_path):
    rng = random.Random(seed)
    model, feeds = support.random_model(seed, tmp_path / "model")
    expected = support.run_whole(model, feeds)
    for shape, chain in (("staged", False), ("staged", True), ("free", False)):
        plan = support.write_plan(
            tmp_path / "plan.json", model, drawn_places(model, rng, rng.choice([2, 3, 4]), shape), shape
        )
        folder = tmp_path / f"{shape}{chain}"
        pipeline = split(model, plan, folder, chain=chain)
        assert len(pipeline.stages) >= 2 or shape == "free"
        support.assert_equal_bits(expected, support.run_stages(folder, feeds))


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_the_same_stages_as_the_program(seed, tmp_path):
    partita = support.program()
    original, feeds = support.random_model(seed, tmp_path / "model")
    model = optimise(original, tmp_path / "optimised" / "model.onnx", level="basic", inputs=feeds).path
    plan = tmp_path / "plan.json"
    subprocess.run([partita, "plan", model, "--platform", "3xt4", "--time-limit", "2", "-q", "-o", plan], check=True)
    subprocess.run([partita, "split", model, plan, "-q", "-o", tmp_path / "theirs"], check=True)
    split(model, plan, tmp_path / "ours")
    support.assert_equal_bits(support.run_whole(model, feeds), support.run_stages(tmp_path / "ours", feeds))
    support.assert_equal_bits(
        support.run_stages(tmp_path / "theirs", feeds), support.run_stages(tmp_path / "ours", feeds)
    )
    theirs, ours = (json.loads((tmp_path / name / "pipeline.json").read_text()) for name in ("theirs", "ours"))
    assert [stage["device"] for stage in ours["stages"]] == [stage["device"] for stage in theirs["stages"]]
    assert ours["outputs"] == theirs["outputs"]


def test_pipeline_json_says_what_crosses(tmp_path):
    model = support.layers_model(tmp_path / "m.onnx")
    plan = support.write_plan(tmp_path / "plan.json", model, [i // 7 for i in range(19)])
    pipeline = split(model, plan, tmp_path / "stages")
    assert [stage.nodes for stage in pipeline.stages] == [7, 7, 5]
    assert [t.name for t in pipeline.stages[1].inputs] == [pipeline.stages[0].outputs[0].name]
    assert pipeline.stages[1].inputs[0].source == 0 and pipeline.fingerprint == "f"
    assert pipeline.inputs[0].shape == ("batch", 64) and pipeline.inputs[0].bytes is None
    assert pipeline.outputs[0].source == 2


def test_one_clear_line_for_what_is_refused(tmp_path):
    model = support.layers_model(tmp_path / "m.onnx")
    other = support.layers_model(tmp_path / "other.onnx", layers=2)
    plan = support.write_plan(tmp_path / "plan.json", model, [i // 10 for i in range(19)])
    with pytest.raises(InputError, match="a plan of another model.*'product2'"):
        split(other, plan, tmp_path / "stages")
    with pytest.raises(InputError, match="no such file"):
        split(tmp_path / "none.onnx", plan, tmp_path / "stages")
    split(model, plan, tmp_path / "stages")
    with pytest.raises(InputError, match="holds stages already"):
        split(model, plan, tmp_path / "stages")
    split(model, plan, tmp_path / "stages", force=True)
    with pytest.raises(InputError, match="is not empty"):
        split(model, plan, tmp_path)
    backwards = support.write_plan(tmp_path / "b.json", model, [1 - i // 10 for i in range(19)])
    with pytest.raises(InputError, match="one after the other"):
        split(model, backwards, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_the_library_cuts_what_is_beyond(tmp_path, monkeypatch):
    """A plan that cuts through a call of a function, and one where nobody is there to do it."""
    partita = support.program()
    from partita.onnx import planning_seam

    monkeypatch.setattr(planning_seam, "has_compiled", lambda: False)
    monkeypatch.setenv("PARTITA", partita)
    model, feeds = support.random_model(1, tmp_path / "model")
    plan = tmp_path / "plan.json"
    subprocess.run([partita, "plan", model, "--platform", "3xt4", "--time-limit", "2", "-q", "-o", plan], check=True)
    split(model, plan, tmp_path / "stages")
    support.assert_equal_bits(support.run_whole(model, feeds), support.run_stages(tmp_path / "stages", feeds))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PARTITA")
    with pytest.raises(InputError, match="a call of the function.*neither is there"):
        split(model, plan, tmp_path / "stages", force=True)
    assert (tmp_path / "stages" / "pipeline.json").is_file(), "what was there stays"
