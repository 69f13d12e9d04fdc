# SPDX-License-Identifier: Apache-2.0
"""`partita.torch.profile` on this machine's CPU: a workload that adds up, and that the planner accepts."""

import json
import os
import shutil

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: tests of partita.torch are skipped")

from torch_modules import ConvNet, Mlp, Transformer  # noqa: E402

import partita.torch  # noqa: E402
from partita.errors import InputError  # noqa: E402
from partita.program import run_program  # noqa: E402
from partita.torch.stopwatch import Timing  # noqa: E402
from partita.torch.workload import fingerprint  # noqa: E402

FAST = {"repetitions": 3}


@pytest.mark.parametrize("training", [False, True])
def test_workload_adds_up(training, tmp_path):
    module = ConvNet()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    cores = os.sched_getaffinity(0)
    loss = (lambda output: output["scores"].square().mean()) if training else None
    measured = partita.torch.profile(module, (torch.randn(2, 3, 6, 6),), training=training, loss=loss, devices=3,
                                     output=tmp_path / "workload.json", **FAST)
    assert os.sched_getaffinity(0) == cores
    for name, value in module.state_dict().items():
        assert torch.equal(value, before[name]), "measuring changes nothing of the module"
    assert all(parameter.grad is None for parameter in module.parameters())
    workload = json.loads((tmp_path / "workload.json").read_text())
    assert workload == json.loads(json.dumps(measured.workload))
    assert (workload["maxFPGAs"], workload["maxCPUs"], workload["maxSizePerFPGA"]) == (3, 0, None)
    total = sum(node["fpgaLatency"] for node in workload["nodes"])
    assert total == pytest.approx(measured.whole.seconds * 1e3), "scaled times add up to the whole"
    assert measured.ratio == pytest.approx(measured.whole.seconds / measured.sum)
    assert any(node["isBackwardNode"] for node in workload["nodes"]) == training
    names = {node["name"]: node for node in workload["nodes"]}
    assert names["stem.0/conv2d"]["fpgaLatency"] > 0 and names["image"]["fpgaLatency"] == 0
    size, latency = names["image"]["outputBytes"], workload["meta"]["transferLatencyMs"]
    edge = next(edge for edge in workload["edges"] if edge["sourceId"] == names["image"]["id"])
    assert edge["size"] == size == 2 * 3 * 6 * 6 * 4
    assert edge["cost"] == pytest.approx(latency + size / workload["meta"]["transferBytesPerSecond"] * 1e3)


def test_equal_operators_are_timed_once_and_views_cost_nothing():
    measured = partita.torch.profile(Transformer(depth=3), (torch.randint(0, 13, (2, 6)),), **FAST)
    times = {}
    for node in measured.workload["nodes"]:
        if node["op"] == "aten.linear.default" and node["output"] == "fp32[2,6,24]":
            times.setdefault(node["op"], set()).add(node["fpgaLatency"])
        if node["op"] in ("getitem", "aten.permute.default", "aten.transpose.int"):
            assert node["fpgaLatency"] == 0
    assert [len(found) for found in times.values()] == [1]
    assert measured.workload["meta"]["distinctOperators"] < len(measured.timings)


def test_type_is_changed_in_a_copy(tmp_path):
    module = Mlp()
    measured = partita.torch.profile(module, (torch.randn(4, 8),), dtype=torch.bfloat16, **FAST)
    with pytest.raises(InputError, match="cannot be written"):
        measured.save(tmp_path / "none" / "workload.json")
    assert next(module.parameters()).dtype == torch.float32
    assert measured.workload["nodes"][1]["output"] == "bf16[4,8]"


@pytest.mark.skipif(not (os.environ.get("PARTITA") or shutil.which("partita")),
                    reason="the program partita is not there: planning a profile is not tested")
def test_plan_and_stages_of_a_profile(tmp_path):
    module, x = Transformer(depth=3).eval(), torch.randint(0, 13, (2, 6))
    for training in (False, True):
        measured = partita.torch.profile(module, (x,), training=training, **FAST)
        measured.save(tmp_path / "workload.json")
        run_program("planning", "plan", tmp_path / "workload.json", "--strict", "--shape", "staged",
                    "-o", tmp_path / "plan.json")
        assert json.loads((tmp_path / "plan.json").read_text())["model"]["fingerprint"] == fingerprint(measured.capture)
        parts = partita.torch.stages(module, (x,), tmp_path / "plan.json", training=training)
        assert torch.equal(partita.torch.run_chain(parts, x), module(x))


def test_median_and_spread():
    assert Timing.of([5.0, 1.0, 2.0, 3.0, 4.0]) == Timing(3.0, 1.0)
    assert Timing.of([2.0]) == Timing(2.0, 0.0)


def test_bad_input():
    x = torch.randn(4, 8)

    def message(**options):
        with pytest.raises(InputError) as caught:
            partita.torch.profile(options.pop("module", Mlp()), options.pop("args", (x,)), **options)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "devices: found 0" in message(devices=0)
    assert "repetitions: found 'many'" in message(repetitions="many")
    assert "may use" in message(threads=1000)
    assert "expected cpu" in message(device="abacus")
    assert "expected a tuple" in message(args=x)
    assert "expected a torch.nn.Module" in message(module=len)
    if not torch.cuda.is_available():
        assert "finds no GPU" in message(device="cuda")
