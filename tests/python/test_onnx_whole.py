# SPDX-License-Identifier: Apache-2.0
"""From a model to a running pipeline, and back: what is fed back, what is kept. No test looks at the clock."""

import json
from dataclasses import replace

import pytest

pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import numpy as np
import onnx_support as support
from stages_in_turn import run_stages, run_whole

from partita.errors import InputError
from partita.plan_file import PlanFile
from partita.running.even import even_places, even_stages, predicted_seconds
from partita.running.measured import Figure, Measured, MeasuredDevice, Phases, Predicted
from partita.running.recalibrate import holds, noise_of, recalibrated, repriced, stage_factors
from partita.running.whole import Compared, profile_plan_and_run


def measured_device(name, compute, into, out, predicted):
    def figure(value):
        return Figure(value, value, value, value)

    phases = Phases(figure(compute), figure(into), figure(out), figure(0.0), figure(compute + into + out))
    return MeasuredDevice(name, (0,), 10, 1, phases, Predicted(*predicted))


def measured(devices, time, predicted, blocks=None):
    blocks = tuple(blocks or [time] * 5)
    return Measured(
        "m", "local", 100, 10, 6, time, min(blocks), max(blocks), blocks, predicted, tuple(devices), ()
    )  # fmt: skip


def test_factors_explain_what_was_seen():
    slow = measured_device("core 0", 14.0, 0.0, 0.5, (10.0, 0.0, 1.0, 11.0))
    fine = measured_device("core 1", 8.9, 0.1, 0.0, (8.0, 1.0, 0.0, 9.0))
    seen = measured([slow, fine], time=14.6, predicted=11.0)
    factors = stage_factors(seen)  # 0.1 ms passes between samples, which every stage has
    assert factors == {"core 0": pytest.approx((14.6 - 1.0) / 10.0)}, "core 1 is off by 1 %, which is noise"
    assert not holds(seen) and holds(measured([slow], 11.5, 11.0)) and noise_of(seen) == 0.02
    noisy = [10.5, 11.0, 12.0, 13.0, 13.4]
    assert noise_of(measured([slow], 12.0, 11.1, noisy)) == pytest.approx(1 / 12)
    assert holds(measured([slow], 12.0, 11.1, noisy)), "no better than what can be seen"
    assert not holds(measured([slow], 12.0, 6.0, [2.0, 2.0, 12.0, 30.0, 30.0])), "noise is no excuse for everything"


def test_recalibrated_times_predict_what_was_seen(tmp_path):
    model = support.layers_model(tmp_path / "m.onnx")
    plan = PlanFile.read(support.write_plan(tmp_path / "plan.json", model, [i // 10 for i in range(19)]))
    before = support.measurement_of(model)
    seen = measured(
        [
            measured_device("core 0", 20.0, 0, 0, (10.0, 0, 0, 10.0)),
            measured_device("core 1", 9.0, 0, 0, (9.0, 0, 0, 9.0)),
        ],
        time=20.0,
        predicted=10.0,
    )
    after = recalibrated(before, plan, seen)
    assert [one.seconds for one in after.operators] == pytest.approx([2e-3] * 10 + [1e-3] * 9)
    assert after.link == before.link, "a link is not made faster"
    again = repriced(plan, after)
    assert [device.compute for device in again.devices] == pytest.approx([20.0, 9.0]), "ms, of the newer measurement"
    assert again.value == pytest.approx(20.0)
    slow_link = measured([measured_device("core 0", 10.0, 0, 3.0, (10.0, 0, 1.0, 11.0))], time=13.0, predicted=11.0)
    assert recalibrated(before, plan, slow_link).link.bandwidth == pytest.approx(5e9 / 3)


def test_the_even_split(tmp_path):
    assert even_places(6, 3) == [0, 0, 1, 1, 2, 2] and even_places(2, 4) == [0, 1]
    model = support.layers_model(tmp_path / "m.onnx")
    measurement = support.measurement_of(model)
    assert predicted_seconds(measurement) == pytest.approx(10e-3)
    pipeline = even_stages(measurement, tmp_path / "even")
    assert [stage.nodes for stage in pipeline.stages] == [10, 9] and pipeline.devices == ("core 0", "core 1")
    feeds = {"x": np.random.default_rng(1).standard_normal((4, 64)).astype(np.float32)}
    support.assert_equal_bits(run_whole(model, feeds), run_stages(tmp_path / "even", feeds))


def test_comparisons_are_of_medians():
    compared = Compared((1.0, 2.0, 1.5), (3.0, 3.0, 2.4))
    assert compared.faster_by == pytest.approx(2.0) and compared.noise == pytest.approx(1 / 3)


def test_a_model_is_measured_planned_and_run(tmp_path, monkeypatch):
    support.needs_two_cores()
    monkeypatch.setenv("PARTITA", support.program())
    model = support.layers_model(tmp_path / "m.onnx", layers=4)
    feeds = [{"x": np.random.default_rng(i).standard_normal((2, 64)).astype(np.float32)} for i in range(12)]
    told = []
    result = profile_plan_and_run(
        model,
        iter(feeds),
        devices=2,
        samples=30,
        recalibrate=1,
        against_even=True,
        repetitions=3,
        tell=told.append,
        folder=tmp_path / "work",
        time_limit=2,
    )
    assert len(result.outputs) == 12, "an iterator loses no sample to the measurement"
    for sample, outputs in zip(feeds, result.outputs):
        assert np.allclose(outputs["y"], run_whole(model, sample)["y"], atol=1e-5)
    assert 1 <= len(result.rounds) <= 3 and result.measured.predicted > 0
    assert len(result.compared.planned) == len(result.compared.even) == 3
    assert any(line.startswith("round") for line in told) and "even split takes" in repr(result)
    assert json.loads((tmp_path / "work" / "measured" / "measurement.json").read_text())["devices"] == [
        "core 0",
        "core 1",
    ]


def test_what_is_refused(tmp_path):
    model = support.layers_model(tmp_path / "m.onnx")
    with pytest.raises(InputError, match="0 rounds or more"):
        profile_plan_and_run(model, recalibrate=-1)
    with pytest.raises(InputError, match="oversubscribe"):
        profile_plan_and_run(model, oversubscribe=True)
    with pytest.raises(InputError, match="at least one sample"):
        profile_plan_and_run(model, iter([]))
    with pytest.raises(InputError, match="nothing was predicted"):
        holds(replace(measured([measured_device("core 0", 1, 0, 0, (1, 0, 0, 1))], 1, None)))
