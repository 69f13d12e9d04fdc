# SPDX-License-Identifier: Apache-2.0
"""check, simulate, compare and sweep say what the command line says."""

import json
import subprocess

import pytest
from planning_support import EXAMPLES, chain, program

from partita import InputError, Platform, check, compare, plan, simulate, sweep

WITH_HOST = EXAMPLES / "with-host.json"


def test_a_plan_is_judged_anew(tmp_path):
    best = plan(WITH_HOST)
    verdict = check(WITH_HOST, best)
    assert verdict and verdict.legal and verdict.value == best.value and verdict.violations == []
    assert "legal" in repr(verdict)
    best.save(tmp_path / "plan.json")
    assert check(WITH_HOST, tmp_path / "plan.json").legal


def test_a_split_that_breaks_rules_is_named():
    document = plan(WITH_HOST).to_dict()
    moved = next(device for device in document["devices"] if len(device["nodes"]) > 1)["nodes"].pop()
    verdict = check(WITH_HOST, document)
    assert not verdict and any(str(moved) in violation.message for violation in verdict.violations)
    assert len(verdict.to_pandas()) == len(verdict.violations)
    with pytest.raises(InputError, match="another graph"):
        check(chain(3), plan(chain(4), Platform.of(accelerators=2)))


def test_a_graph_in_memory_is_checked_on_the_plans_devices():
    graph = chain(6)
    assert check(graph, plan(graph, Platform.of(accelerators=3))).legal


def test_a_plan_at_work(tmp_path):
    best = plan(WITH_HOST)
    run = simulate(best, samples=40)
    assert run.time_per_sample == best.value and run.samples == 40 and run.schedule == "pipeline"
    assert run.throughput == pytest.approx(1 / best.value) and run.latency >= best.value and run.makespan > 0
    assert run.unit == "ms" and "time per sample" in repr(run)
    run.save_trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    run.save(tmp_path / "run.json")
    best.save(tmp_path / "plan.json")
    output = tmp_path / "cli.json"
    command = [program(), "simulate", WITH_HOST, tmp_path / "plan.json", "--samples", "40", "-q", "-o", output]
    subprocess.run(command, check=True, timeout=60)
    assert json.loads((tmp_path / "run.json").read_text()) == json.loads(output.read_text())
    assert simulate(tmp_path / "plan.json", schedule="sequential").schedule == "sequential"
    assert list(run.to_pandas()["name"]) == ["accelerator 0", "accelerator 1", "host 0"]


@pytest.mark.parametrize(
    "arguments, text",
    [
        (dict(samples=0), "samples: found 0; expected a whole number from 1"),
        (dict(schedule="fast"), "schedule: 'fast' is not one of its values; expected pipeline, 1f1b"),
    ],
)
def test_a_simulation_that_makes_no_sense(arguments, text):
    with pytest.raises(InputError, match=text):
        simulate(plan(WITH_HOST), **arguments)


def test_algorithms_side_by_side():
    pandas = pytest.importorskip("pandas")
    comparison = compare(WITH_HOST, algorithms=["dp", "greedy", "single"])
    table = comparison.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table["algorithm"]) == ["dp", "greedy", "single"]
    assert comparison.best == 10.75 == table["value"].iloc[0] and not comparison.interrupted
    assert "algorithm" in repr(comparison)
    with pytest.raises(InputError, match="'dpp'"):
        compare(WITH_HOST, algorithms=["dpp"])
    everything = compare(chain(4), Platform.of(accelerators=2))
    assert "::" not in repr(everything) and "--" not in repr(everything)


def test_a_curve_over_devices():
    pytest.importorskip("pandas")
    curve = sweep(WITH_HOST, "accelerators", [3, 1, 2])
    assert [point["parameter"] for point in curve.points] == [1, 2, 3]
    assert [point["value"] for point in curve.points] == [81, 10.75, 6.25]
    assert list(curve.to_pandas()["status"]) == ["optimal"] * 3
    assert curve.verdict and "accelerators" in repr(curve)
    memory = sweep(WITH_HOST, "memory", ["50", "1GiB"], Platform.of(accelerators=2))
    assert [point["parameter"] for point in memory.points] == [50, 2**30]


@pytest.mark.parametrize(
    "vary, values, text",
    [
        ("speed", [1], "vary: 'speed' is not one of its values; expected accelerators, hosts"),
        ("accelerators", [], "values: found none"),
        ("accelerators", [-1], "-1"),
        ("accelerators", [1.5], "1.5"),
    ],
)
def test_a_curve_over_nothing(vary, values, text):
    with pytest.raises(InputError) as raised:
        sweep(WITH_HOST, vary, values)
    assert text in str(raised.value)
