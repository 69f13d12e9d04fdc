# SPDX-License-Identifier: Apache-2.0
"""Stamps become traces and measurements: on stamps made by hand, so that every number is known."""

import json

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import partita
from models import chain, chain_groups, cut, plan_of
from partita.pipeline import Pipeline
from partita.plan_file import PlanFile
from partita.running.measured import Measured, measure
from partita.running.stamps import StageStamps, StampWriter, bytes_for, read_stamps
from partita.running.trace import write_trace
from partita.running.wiring import edges_of

MS = 1_000_000


def stamps_of(stage, device, samples, period=10, start=0, into=1, compute=6, out=2):
    """A stage that takes each sample `period` ms after the last one; times in ms."""
    begin = start * MS + np.arange(len(samples)) * period * MS
    waited = period - into - compute - out
    moments = np.cumsum(
        np.stack([begin, *(np.full(len(samples), t * MS) for t in (waited, into, compute, out))], axis=1), axis=1
    )
    return StageStamps(stage, device, np.asarray(samples), moments)


@pytest.fixture(name="folder")
def two_stages(tmp_path):
    return cut(chain(layers=4), tmp_path / "stages", chain_groups(4, 2))


def test_medians_loads_and_time_per_sample(folder, tmp_path):
    pipeline = Pipeline.read(folder)
    plan = PlanFile.read(plan_of(folder, tmp_path / "plan.json", value=8.0, loads={"core 0": 8.0, "core 1": 3.0}))
    stamps = [stamps_of(0, "core 0", range(100)), stamps_of(1, "core 1", range(100), start=10, compute=2, out=0)]
    measured = measure(pipeline, stamps, engine="local", window=4, plan=plan, settings={"core 1": {"cores": [1]}})
    assert measured.time_per_sample == pytest.approx(10) and measured.low == pytest.approx(10)
    assert measured.warm_up == 10 and len(measured.blocks) == 5
    assert measured.error == pytest.approx(0.25)
    first, second = measured.devices
    assert (first.measured.into.median, first.measured.compute.median, first.measured.out.median) == (1, 6, 2)
    assert first.load == 9 and first.error == pytest.approx(1 / 8) and first.measured.wait.median == 1
    assert second.load == 3 and second.error == 0 and second.settings == {"cores": [1]}
    assert measured.bottleneck is first


def test_the_file_is_read_as_it_was_written(folder, tmp_path):
    pipeline = Pipeline.read(folder)
    stamps = [stamps_of(0, "core 0", range(20)), stamps_of(1, "core 1", range(20), start=10)]
    measured = measure(pipeline, stamps, engine="local", window=4)
    measured.write(tmp_path / "measured.json")
    assert Measured.read(tmp_path / "measured.json") == measured
    content = json.loads((tmp_path / "measured.json").read_text())
    assert content["partita"] == {"format": "measured", "version": 1}
    assert content["devices"][0]["measured"]["in"]["median"] == 1 and content["time_per_sample"]["predicted"] is None
    with pytest.raises(partita.InputError, match="is no measured of Partita's but a pipeline"):
        Measured.read(folder / "pipeline.json")


def test_devices_that_take_turns_share_the_load(tmp_path):
    folder = cut(chain(layers=4), tmp_path / "stages", chain_groups(4, 2), devices=["a", "c"], copies={0: ["b"]})
    stamps = [stamps_of(0, "a", range(0, 60, 2), period=20), stamps_of(0, "b", range(1, 60, 2), period=20, start=10),
              stamps_of(1, "c", range(60), start=20)]
    measured = measure(Pipeline.read(folder), stamps, engine="local", window=4)
    assert measured.time_per_sample == pytest.approx(10)
    assert [device.load for device in measured.devices] == [4.5, 4.5, 9]


def test_stages_of_one_device_add_up(tmp_path):
    folder = cut(chain(layers=4), tmp_path / "stages", chain_groups(4, 2), devices=["a", "a"])
    stamps = [stamps_of(0, "a", range(30), period=20), stamps_of(1, "a", range(30), period=20, start=10)]
    measured = measure(Pipeline.read(folder), stamps, engine="local", window=4)
    assert measured.devices[0].load == 18 and measured.devices[0].stages == (0, 1)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_few_samples_are_measured_as_far_as_they_go(folder, count):
    stamps = [stamps_of(0, "core 0", range(count)), stamps_of(1, "core 1", range(count), start=10)]
    measured = measure(Pipeline.read(folder), stamps, engine="local", window=6)
    assert measured.time_per_sample > 0 and measured.devices[1].load == 9
    assert "time per sample" in measured.table()


def test_nothing_measured_is_an_error(folder):
    nothing = StageStamps(0, "core 0", np.zeros(0, "int64"), np.zeros((0, 5), "int64"))
    with pytest.raises(partita.InputError, match="no sample has run"):
        measure(Pipeline.read(folder), [nothing], engine="local", window=2)


def test_the_newest_stamps_are_kept():
    memory = bytearray(bytes_for(4))
    writer = StampWriter(memory, 0, 4)
    for sample in range(6):
        writer.write(sample, *(sample * 10 + moment for moment in range(5)))
    found = read_stamps(memory, 0, 4, 1, "d")
    assert found.samples.tolist() == [2, 3, 4, 5] and found.moments[0].tolist() == [20, 21, 22, 23, 24]


def test_the_trace_has_the_lanes_and_names_of_simulations(folder, tmp_path):
    pipeline = Pipeline.read(folder)
    stamps = [stamps_of(0, "core 0", range(3)), stamps_of(1, "core 1", range(3), start=10)]
    write_trace(tmp_path / "trace.json", pipeline, stamps)
    content = json.loads((tmp_path / "trace.json").read_text())
    events = content["traceEvents"]
    lanes = [(e["pid"], e["tid"], e["args"]["name"]) for e in events if e["name"] == "thread_name"]
    assert lanes == [(1, 1, "core 0"), (2, 2, "core 1")]
    slices = [e for e in events if e["ph"] == "X"]
    assert {e["cat"] for e in slices} == {"in", "compute", "out"}
    of_second = [e["name"] for e in slices if e["pid"] == 2]
    assert of_second == ["in 0", "F0", "out 0", "in 1", "F1", "out 1", "in 2", "F2", "out 2"]
    assert not [e for e in slices if e["pid"] == 1 and e["cat"] == "in"]  # the model's inputs are no transfer
    compute = next(e for e in slices if e["name"] == "F1" and e["pid"] == 2)
    assert compute["dur"] == 6000 and compute["args"] == {"sample": 1, "piece": 1, "backward": False, "nodes": 5}
    assert min(e["ts"] for e in slices) >= 0
    assert sum(e["ph"] == "s" for e in events) == sum(e["ph"] == "f" for e in events) == 3
    times = [e["ts"] for e in events if "ts" in e]
    assert times == sorted(times)
    assert [file.name for file in tmp_path.iterdir() if "partial" in file.name] == []


def test_only_edges_that_say_something_new_have_counters(tmp_path):
    folder = cut(chain(layers=3), tmp_path / "stages", chain_groups(3, 3))  # h0 goes from 0 to 1 and to 2
    assert edges_of(Pipeline.read(folder)) == [(-1, 0), (0, 1), (1, 2), (2, "collector")]


def test_counters_that_were_absorbed_do_not_wake_a_poll_again():
    """A reader that waits for two makers sleeps until both are through, also if one is far ahead."""
    import os
    import select

    from partita.running.wiring import Arrivals

    first, second = (os.eventfd(0, os.EFD_NONBLOCK) for _ in range(2))
    try:
        arrivals = Arrivals([[first], [second]])
        poll = select.poll()
        for descriptor in arrivals.descriptors:
            poll.register(descriptor, select.POLLIN)
        for _ in range(3):
            os.eventfd_write(second, 1)
        for descriptor, _ in poll.poll(0):
            arrivals.absorb(descriptor)
        assert not arrivals.take(0) and poll.poll(0) == []
        os.eventfd_write(first, 2)
        for descriptor, _ in poll.poll(0):
            arrivals.absorb(descriptor)
        assert arrivals.take(0) and arrivals.take(1) and not arrivals.take(2)
    finally:
        os.close(first)
        os.close(second)
