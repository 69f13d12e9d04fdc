# SPDX-License-Identifier: Apache-2.0
"""Searches that are watched and stopped: by a callback, by Ctrl-C, by an error; and that let other threads run."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from planning_support import ROOT, chain, hard_graph

from partita import Platform, plan

FOUR = Platform.of(accelerators=4)
HARD = dict(shape="free", transfers="overlap")


def test_a_callback_sees_value_and_bound_and_stops_the_search():
    seen = []

    def watch(value, bound, seconds):
        seen.append((value, bound, seconds))
        return len(seen) < 3

    stopped = plan(hard_graph(), FOUR, callback=watch, time_limit=60, **HARD)
    assert len(seen) == 3
    assert stopped.ended == "callback" and stopped.seconds < 30
    for value, bound, seconds in seen:
        assert bound <= value and seconds >= 0
    assert stopped.status in ("feasible", "optimal") and stopped.value <= min(value for value, _, _ in seen)


def test_a_callback_that_returns_nothing_lets_the_search_go_on():
    seen = []
    best = plan(chain(12), FOUR, callback=lambda *news: seen.append(news))
    assert best.status == "optimal" and best.ended == "searched"


def test_an_error_of_the_callback_comes_through():
    def fail(value, bound, seconds):
        raise LookupError("of the callback")

    with pytest.raises(LookupError, match="of the callback"):
        plan(hard_graph(), FOUR, callback=fail, time_limit=60, **HARD)


def test_a_time_limit_is_kept():
    limited = plan(hard_graph(), FOUR, time_limit=0.5, **HARD)
    assert limited.status == "feasible" and limited.ended == "time limit" and 0 < limited.gap < 1


def test_other_threads_run_meanwhile():
    count, stop = [0], threading.Event()

    def counting():
        while not stop.is_set():
            count[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=counting)
    counter.start()
    try:
        before = count[0]
        plan(hard_graph(), FOUR, time_limit=1, **HARD)
        assert count[0] - before > 20
    finally:
        stop.set()
        counter.join(10)


SCRIPT = textwrap.dedent(
    """
    import sys
    sys.path.insert(0, {tests!r})
    from planning_support import hard_graph
    from partita import Platform, plan
    told = []

    def watch(value, bound, seconds):
        if not told:
            told.append(print("searching", flush=True))

    try:
        best = plan(hard_graph(), Platform.of(accelerators=4), callback=watch, time_limit=100, shape="free",
                    transfers="overlap")
    except KeyboardInterrupt:
        print("raised", flush=True)
    else:
        print(best.ended, best.status, best.value < float("inf"), flush=True)
    """
)


def interrupted():
    """What a search prints that is interrupted once it runs."""
    script = SCRIPT.format(tests=str(ROOT / "tests" / "python"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stdout.readline() == "searching\n", process.communicate(timeout=30)[1]
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, errors
    return output.splitlines()[-1]


def test_ctrl_c_returns_the_best_so_far():
    assert interrupted() == "interrupted feasible True"


def test_a_second_ctrl_c_raises():
    calls = []

    def as_if_pressed(value, bound, seconds):  # each time it is called, and the end of a search is told, too
        calls.append(seconds)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan(hard_graph(), FOUR, callback=as_if_pressed, time_limit=60, **HARD)
    assert len(calls) == 2
