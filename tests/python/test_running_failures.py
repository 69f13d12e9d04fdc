# SPDX-License-Identifier: Apache-2.0
"""What breaks while a pipeline runs: one clear error, and neither a process nor shared memory is left."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")

import partita
from left_behind import all_gone, descriptors, memory_files, stage_processes
from models import Model, chain, chain_groups, cut, helper, samples
from onnx import TensorProto
from partita.pipeline import Pipeline
from partita.running.devices import place_devices
from partita.running.feeds import Feeds
from partita.running.local import LocalEngine


@pytest.fixture(name="folder")
def three_stages(tmp_path):
    return cut(chain(layers=3), tmp_path / "stages", chain_groups(3, 3))


def engine_of(folder, **options):
    pipeline = Pipeline.read(folder)
    return LocalEngine(
        pipeline, place_devices(pipeline.devices, oversubscribe=True), Feeds(pipeline, samples=100_000), **options
    )


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_stage_that_is_killed_is_reported_at_once_and_nothing_is_left(folder, which):
    before = descriptors()
    engine = engine_of(folder)
    pids = engine.pids()
    with (
        pytest.raises(partita.RunError, match=rf"core {which} \(stage {which}\): its process was ended by SIGKILL"),
        engine,
    ):
        for number, _ in enumerate(engine.stream()):
            if number == 200:
                os.kill(pids[f"core {which}"], signal.SIGKILL)
                killed = time.monotonic()
    assert time.monotonic() - killed < 30
    assert all_gone(pids.values(), 0.1)
    assert descriptors() == before and not memory_files()


def test_a_stage_that_fails_says_why(tmp_path):
    """Gather with an index that is out of range: known only when the sample is there."""
    nodes = [helper.make_node("Neg", ["x"], ["i"], "neg"), helper.make_node("Gather", ["table", "i"], ["y"], "gather")]
    model = Model(nodes, ["x"], ["y"], {"x": (TensorProto.INT64, [2]), "i": (TensorProto.INT64, [2]),
                                        "y": (TensorProto.FLOAT, [2, 4])}, {"table": np.zeros((3, 4), "float32")})
    folder = cut(model, tmp_path / "stages", [["neg"], ["gather"]])
    feeds = [{"x": np.array([0, -1 if k < 7 else -5])} for k in range(20)]
    made = []
    with pytest.raises(partita.RunError, match=r"core 1 \(stage 1\): .*(indices|index|out of).*"):
        for outputs in partita.running.stream(folder, inputs=feeds, oversubscribe=True):
            made.append(outputs)
    assert len(made) <= 7 and not stage_processes(os.getpid())


def test_processes_of_an_engine_that_nobody_closes_end_with_it(folder):
    before = descriptors()
    engine = engine_of(folder)
    pids = list(engine.pids().values())
    next(engine.stream())
    del engine
    gc.collect()
    assert all_gone(pids, 0.1) and descriptors() == before and not memory_files()


def test_an_error_of_the_samples_source_is_the_callers_own(folder):
    def source():
        yield from samples(chain(layers=3), 3)
        raise LookupError("the camera is gone")

    with pytest.raises(LookupError, match="the camera is gone"):
        partita.run(folder, inputs=source(), oversubscribe=True)
    assert not stage_processes(os.getpid()) and not memory_files()


def test_a_process_that_cannot_start_is_reported_with_its_last_words(folder, monkeypatch, tmp_path):
    broken = tmp_path / "onnxruntime.py"
    broken.write_text("raise RuntimeError('no runtime today')\n")
    monkeypatch.setattr("partita.running.children._environment", lambda: {**os.environ, "PYTHONPATH": os.pathsep.join(
        [str(tmp_path), os.environ["PYTHONPATH"]])})
    with pytest.raises(partita.RunError, match=r"core (\d) \(stage \1\): RuntimeError: no runtime today"):
        partita.run(folder, samples=3, oversubscribe=True)
    monkeypatch.setattr("partita.running.children._environment", lambda: {"PYTHONHOME": "/nowhere"})
    with pytest.raises(partita.RunError, match="has ended with code 1 before it could start; its last words: "):
        partita.run(folder, samples=3, oversubscribe=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(partita.RunError, match="core 0 .*its process cannot start: .*no-python"):
        partita.run(folder, samples=3, oversubscribe=True)
    assert not stage_processes(os.getpid()) and not memory_files()


def started(folder, *, samples_to_run, tmp_path):
    """A process that runs the pipeline through the command line; returned when its stages run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "partita", "run", str(folder), "--samples", str(samples_to_run), "--oversubscribe"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        pids = stage_processes(process.pid)
        if len(pids) == 3 and all(_times_it_slept(pid) > 500 for pid in pids):  # between samples
            return process, pids
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the stages did not start: {process.communicate()}")


def _times_it_slept(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))


def test_ctrl_c_ends_everything_with_one_line(folder, tmp_path):
    process, pids = started(folder, samples_to_run=10_000_000, tmp_path=tmp_path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and errors.strip().endswith("partita: interrupted; all processes have ended")
    assert "Traceback" not in errors
    assert all_gone(pids, 0.1)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_stages_end_when_the_process_that_started_them_is_gone(folder, tmp_path, how):
    process, pids = started(folder, samples_to_run=10_000_000, tmp_path=tmp_path)
    process.send_signal(how)
    process.communicate(timeout=30)
    assert all_gone(pids)


def test_stages_end_also_if_another_process_holds_the_control_pipe_open(folder, tmp_path):
    """As a process does that the caller has forked meanwhile: it inherits the open files."""
    script = textwrap.dedent(f"""
        import os, sys, time
        from partita.running import stream
        results = stream({str(folder)!r}, samples=10_000_000, oversubscribe=True)
        next(results)
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        from left_behind import stage_processes
        print(*stage_processes(os.getpid()), flush=True)
        os.kill(os.getpid(), 9)
        """)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], os.path.dirname(__file__)])},
    )
    try:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert len(pids) == 3 and all_gone(pids)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the forked one
        process.wait()
        process.stdout.close()
