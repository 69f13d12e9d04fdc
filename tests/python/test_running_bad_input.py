# SPDX-License-Identifier: Apache-2.0
"""What is wrong with what is given is said in one line, before anything runs."""

import json
import os
import zlib

import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import partita
from left_behind import memory_files, stage_processes
from models import Model, chain, chain_groups, cut, helper, plan_of
from onnx import TensorProto


@pytest.fixture(name="folder")
def two_stages(tmp_path):
    return cut(chain(layers=4), tmp_path / "stages", chain_groups(4, 2))


def refused(text, *arguments, kind=partita.InputError, **options):
    options = {"oversubscribe": True, "samples": 3, **options}
    with pytest.raises(kind, match=text) as caught:
        partita.run(*arguments, **options)
    assert "\n" not in str(caught.value)
    assert not stage_processes(os.getpid()) and not memory_files()


X = np.zeros((1, 16), "float32")


@pytest.mark.parametrize("inputs, text", [
    ({"x": X.astype("float64")}, r"sample 0: input x: found float64\[1,16\], expected float32\[1,16\]"),
    ({"x": X[:, :8]}, r"sample 0: input x: found float32\[1,8\], expected float32\[1,16\]"),
    ({"x": X[0]}, r"found float32\[16\], expected float32\[1,16\]"),
    ({"z": X}, "sample 0: the input x is missing; the model reads x"),
    ({"x": X, "z": X}, "sample 0: the model has no input z; it reads x"),
    ([{"x": X}, {"x": X.astype("int64")}], r"sample 1: input x: found int64\[1,16\]"),
    ([X], "sample 0: found ndarray, expected a dict of arrays for x"),
    (7, "inputs: found int, expected a dict of arrays or an iterable of them"),
])
def test_inputs_of_another_name_type_or_shape(folder, inputs, text):
    refused(text, folder, inputs=inputs)


def test_named_dimensions_must_agree(tmp_path):
    nodes = [helper.make_node("Add", ["a", "b"], ["c"], "add"), helper.make_node("Neg", ["c"], ["y"], "neg")]
    types = {name: (TensorProto.FLOAT, ["n", 4]) for name in "abcy"}
    folder = cut(Model(nodes, ["a", "b"], ["y"], types, {}), tmp_path / "stages", [["add"], ["neg"]])
    refused(r"input b: found float32\[3,4\], expected float32\[n,4\] with n = 2", folder,
            inputs={"a": np.zeros((2, 4), "float32"), "b": np.zeros((3, 4), "float32")})


def test_numbers_that_make_no_sense(folder):
    refused("samples: found 0, expected at least 1", folder, samples=0)
    refused("window: found 0, expected at least 1", folder, window=0)
    refused("cores per device: found 0", folder, cores_per_device=0)
    refused("engine: found 'warp', expected local or ray", folder, engine="warp")


def test_a_plan_of_another_model_or_of_other_stages(folder, tmp_path):
    refused("plan.json: is a plan of other.onnx, but .* holds stages of model.onnx", folder,
            plan_of(folder, tmp_path / "plan.json", model="other.onnx"))
    wide = cut(chain(layers=4), tmp_path / "wide", chain_groups(4, 3))
    refused("is not the plan of .*wide: the device core 2 of stage 2 is unknown to it", wide,
            plan_of(folder, tmp_path / "plan.json"))
    other = cut(chain(layers=4), tmp_path / "other", chain_groups(4, 2), fingerprint="beef")
    refused(
        "is a plan of another model than .*fingerprints f00d and beef", other, plan_of(folder, tmp_path / "plan.json")
    )


def test_files_that_are_no_plan_or_pipeline(folder, tmp_path):
    broken = tmp_path / "plan.json"
    broken.write_text("{")
    refused("plan.json: is not JSON", folder, broken)
    broken.write_text('{"partita": {"format": "sweep", "version": 1}}')
    refused("plan.json: is no plan of Partita's but a sweep", folder, broken)
    broken.write_text('{"partita": {"format": "plan", "version": 99}}')
    refused("is of version 99 of the format plan; this program reads up to 2", folder, broken)
    broken.write_text('{"partita": {"format": "plan", "version": 1}, "status": "infeasible", "value": null}')
    refused(r"holds no split \(status infeasible\)", folder, broken)
    refused("plan.json: cannot be read: No such file", folder, tmp_path / "nothing" / "plan.json")
    refused("there is no such file; expected an ONNX model or a folder of stages", tmp_path / "nothing")
    refused("has no pipeline.json", tmp_path)


def test_a_pipeline_that_contradicts_itself(folder):
    content = json.loads((folder / "pipeline.json").read_text())
    content["stages"][1]["inputs"][0]["from"] = {"stage": 1}
    (folder / "pipeline.json").write_text(json.dumps(content))
    refused("stage 1 reads h[01], which is not among the outputs of stage 1", folder)
    content["stages"][0]["file"] = "../elsewhere.onnx"
    (folder / "pipeline.json").write_text(json.dumps(content))
    refused(r"stages\[0\].file: found \"../elsewhere.onnx\", expected the name of a file in the folder", folder)


def test_more_devices_than_cores(folder):
    cores = len(os.sched_getaffinity(0))
    refused(
        rf"2 devices of {cores} cores? each need {2 * cores} cores, but this process may use {cores} \("
        ".*--oversubscribe",
        folder,
        cores_per_device=cores,
        oversubscribe=False,
    )
    refused("the plan has stages on 2 devices, but 3 were asked for; plan for 3", folder, devices=3)
    refused(r"the plan has stages on 2 devices \(core 0, core 1\), but 1 are listed", folder, devices=["cpu"])


def test_an_execution_provider_that_is_not_there(folder):
    refused(
        "the execution provider NonsenseProvider is not there; this installation of ONNX Runtime has "
        ".*CPUExecutionProvider",
        folder,
        devices=["cpu", "NonsenseProvider"],
    )
    refused("cuda:x: found 'x' behind the colon", folder, devices=["cpu", "cuda:x"])


def test_stage_files_that_are_missing_changed_or_no_model(folder):
    stage = folder / "stage_1.onnx"
    whole = stage.read_bytes()
    stage.unlink()
    refused("stage_1.onnx of stage 1 is missing; split the model again", folder)
    stage.write_bytes((folder / "stage_0.onnx").read_bytes())
    refused("stage_1.onnx: reads x, but pipeline.json says .*: the file was changed; split the model again", folder)
    stage.write_bytes(whole[: len(whole) // 2])
    refused("stage_1.onnx: ONNX Runtime cannot load it: ", folder, kind=partita.RunError)
    changed = onnx.load_from_string(whole)
    changed.graph.output[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    changed.graph.node.append(
        helper.make_node("Cast", [changed.graph.output[0].name], ["as_double"], to=TensorProto.DOUBLE)
    )
    changed.graph.output[0].name = "as_double"
    onnx.save(changed, stage)
    refused("stage_1.onnx: makes as_double, but pipeline.json says y", folder)


def test_checksums_notice_any_change(folder):
    content = json.loads((folder / "pipeline.json").read_text())
    for stage in content["stages"]:
        stage["crc32"] = f"{zlib.crc32((folder / stage['file']).read_bytes()):08x}"
    (folder / "pipeline.json").write_text(json.dumps(content))
    assert len(partita.run(folder, samples=3, oversubscribe=True).outputs) == 3
    changed = onnx.load(folder / "stage_1.onnx")
    changed.graph.initializer[0].raw_data = bytes(len(changed.graph.initializer[0].raw_data))
    onnx.save(changed, folder / "stage_1.onnx")
    refused("stage_1.onnx: was changed since it was written", folder)


def test_values_that_cannot_pass_between_stages(tmp_path):
    nodes = [helper.make_node("Identity", ["x"], ["a"], "first"), helper.make_node("Identity", ["a"], ["y"], "second")]
    model = Model(nodes, ["x"], ["y"], {name: (TensorProto.STRING, [2]) for name in "xay"}, {})
    folder = cut(model, tmp_path / "stages", [["first"], ["second"]])
    refused(r"x: string\[2\]: only tensors of numbers can pass between stages|the type string cannot be passed", folder,
            inputs=[{"x": np.array(["a", "b"])}])


def test_a_window_that_does_not_fit_in_memory(folder):
    refused(r"the tensors in flight take \d+ MiB, but only \d+ MiB of memory are free; give a smaller window", folder,
            window=1 << 30)


def test_the_command_line_says_it_in_one_line_and_with_a_code(folder, capsys):
    from partita.__main__ import main

    assert main(["run", str(folder), "--samples", "0", "--oversubscribe"]) == 2
    assert capsys.readouterr().err == "partita: samples: found 0, expected at least 1\n"
    assert main(["run", str(folder), "--dim", "batch"]) == 2
    assert "--dim: found 'batch', expected NAME=SIZE" in capsys.readouterr().err
    assert main(["run", str(folder), "--samples", "3", "--oversubscribe"]) == 0
    assert "time per sample" in capsys.readouterr().out
