# SPDX-License-Identifier: Apache-2.0
"""Ray as the engine starts it, through the command line: it ends with the run, however that ends, and leaves nothing;
and without the package ray."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
if importlib.util.find_spec("ray") is None:  # the engine imports it, in its own way
    pytest.skip("the package ray is not installed", allow_module_level=True)

from left_behind import all_gone
from models import chain, chain_groups, cut, plan_of

PARTITA_RUN = [sys.executable, "-m", "partita", "run"]


@pytest.fixture(name="started")
def command_line(tmp_path):
    """Starts `python -m partita run` with a folder for temporary files of its own, by which its processes are known."""
    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    plan_of(folder, tmp_path / "plan.json")
    with tempfile.TemporaryDirectory(prefix="partita-t-", dir="/tmp") as temporary:
        processes = []

        def start(*options):
            processes.append(subprocess.Popen(
                [*PARTITA_RUN, folder, tmp_path / "plan.json", "--engine", "ray", "--oversubscribe", *options],
                cwd=tmp_path, env={**os.environ, "TMPDIR": temporary}, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE))
            return processes[-1], temporary

        yield start
        for process in processes:
            process.kill()
            process.wait()
        assert all_gone(of_ray(temporary), 30)


def of_ray(temporary):
    """Processes that Ray has started in that folder; actors are children of its raylet."""
    found, parents = set(), {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                command = Path(f"/proc/{entry}/cmdline").read_bytes()
                after_name = Path(f"/proc/{entry}/stat").read_text(errors="replace").rsplit(")", 1)[1]
                parents[int(entry)] = int(after_name.split()[1])
            except OSError:
                continue
            if temporary.encode() in command and b"partita-ray-" in command:
                found.add(int(entry))
    return found | {pid for pid, parent in parents.items() if parent in found}


def wait_for_actors(process, temporary):
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        pids = of_ray(temporary)
        names = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids if Path(f"/proc/{pid}").exists()]
        if sum(b"StageHost" in name for name in names) == 2:
            return pids
        time.sleep(0.1)
    raise AssertionError(f"no actors: {process.communicate()}")


@pytest.mark.long
def test_a_run_starts_ray_and_ends_it(started, tmp_path):
    process, temporary = started("--samples", "60", "--json", "measured.json", "--trace", "trace.json")
    printed, errors = process.communicate(timeout=180)
    assert process.returncode == 0 and errors == ""
    assert "ms predicted" in printed and "core 1" in printed
    measured = json.loads((tmp_path / "measured.json").read_text())
    assert measured["engine"] == "ray" and measured["samples"] == 60
    assert [device["settings"]["cores"] for device in measured["devices"]] == [[core] for core in
                                                                             sorted(os.sched_getaffinity(0))[:2]]
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" and event["cat"] == "compute" for event in events) == 120
    assert all_gone(of_ray(temporary), 0.1) and not list(Path(temporary).glob("partita-*"))


@pytest.mark.long
def test_ctrl_c_ends_ray_too(started):
    process, temporary = started("--samples", "10000000")
    pids = wait_for_actors(process, temporary)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors.strip() == "partita: interrupted; all processes have ended"
    assert all_gone(pids, 5) and not list(Path(temporary).glob("partita-*"))


@pytest.mark.long
def test_ray_ends_when_the_process_that_started_it_is_killed(started):
    process, temporary = started("--samples", "10000000")
    pids = wait_for_actors(process, temporary)
    process.kill()
    process.communicate(timeout=30)
    assert all_gone(pids, 240)  # Ray notices by itself, in its own time


def test_without_the_package_one_line_says_what_to_install(tmp_path):
    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    (tmp_path / "ray.py").write_text("raise ImportError('not here')\n")
    paths = f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}"
    done = subprocess.run([*PARTITA_RUN, folder, "--engine", "ray"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 1
    assert done.stderr == 'partita: running over a cluster needs the package ray: pip install "partita[ray]"\n'


def test_options_of_ray_are_refused_for_another_engine(tmp_path):
    folder = cut(chain(layers=2), tmp_path / "stages", chain_groups(2, 2))
    for options, message in (
            (["--address", "auto"], "--address is for --engine ray; the engine is local"),
            (["--resource", "tpu=1"], "--resource is for --engine ray; the engine is local"),
            (["--engine", "ray", "--resource", "tpu"], "--resource: found 'tpu', expected NAME=AMOUNT, as in tpu=1"),
            (["--engine", "ray", "--address", "127.0.0.1:1"], "the cluster at 127.0.0.1:1 cannot be joined: ")):
        done = subprocess.run([*PARTITA_RUN, folder, *options], capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2) and done.stderr.startswith(f"partita: {message}"), done.stderr
        assert done.stderr.count("\n") == 1
