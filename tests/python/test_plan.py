# SPDX-License-Identifier: Apache-2.0
"""Plans through Python are those of the command line."""

import json
import math
import threading

import pytest
from planning_support import EXAMPLES, chain, planned_by_program, without_times

import partita
from partita import Graph, InputError, Plan, Platform, check, plan

RESNET = EXAMPLES / "models" / "resnet50.onnx"


@pytest.mark.parametrize(
    "file, arguments, options",
    [
        ("with-host.json", {}, []),
        ("branch.json", dict(objective="latency"), ["--objective", "latency"]),
        ("tiny-training.json", dict(objective="gpipe"), ["--objective", "gpipe"]),
        ("with-host.json", dict(shape="free", transfers="overlap"), ["--shape", "free", "--transfers", "overlap"]),
        (
            "with-host.json",
            dict(platform=Platform.of(accelerators=3, memory="1GiB", hosts=2)),
            ["--accelerators", "3", "--memory", "1GiB", "--hosts", "2"],
        ),
        (
            "with-host.json",
            dict(seed=7, settings={"staged.annealing": False}),
            ["--seed", "7", "--set", "staged.annealing=false"],
        ),
        ("models/gpt2.json", dict(platform="2xa100+t4", batch=4), ["--platform", "2xa100+t4", "--batch", "4"]),
        (
            "tiny-training.json",
            dict(memory_model="1f1b", recompute=True, microbatches=4),
            ["--memory-model", "1f1b", "--recompute", "--microbatches", "4"],
        ),
    ],
)
def test_the_plan_is_that_of_the_command_line(file, arguments, options, tmp_path):
    path = EXAMPLES / file
    expected = planned_by_program(path, *options, tmp_path=tmp_path)
    found = plan(str(path), **arguments)
    found.save(tmp_path / "python.json")
    assert without_times(json.loads((tmp_path / "python.json").read_text())) == without_times(expected)
    assert found.status == expected["status"] and found.value == expected["value"] and found.gap == expected["gap"]


def test_what_a_plan_says():
    best = plan(chain(6), Platform.of(accelerators=2))
    assert (best.status, best.ended, best.unit, best.reason) == ("optimal", "searched", "ms", "")
    assert best.bound <= best.value and best.gap <= 1e-6 and best.proof and best.seconds >= 0
    assert best.certificate is None
    assert best.device_of.tolist() == [0, 0, 0, 1, 1, 1]
    first, second = best.stages
    assert (first.device, first.nodes, first.copies) == ("accelerator 0", [0, 1, 2], [])
    assert first.load == first.compute + first.transfer_in + first.transfer_out == 6.25
    assert second.transfer_in == 0.25 and best.value == max(first.load, second.load)
    assert repr(best).startswith("optimal: 6.25 ms per sample, 160 samples/s\nstage")


def test_a_graph_is_planned_on_several_platforms():
    graph = chain(6)
    values = [plan(graph, Platform.of(accelerators=n)).value for n in (1, 2, 3)]
    assert values == sorted(values, reverse=True) and values[0] == 12
    model = Graph.read(EXAMPLES / "models" / "gpt2.json", sequence=64)
    assert plan(model, "2xa100", time_limit=5).value < plan(model, "2xt4", time_limit=5).value


def test_copies_of_stages():
    graph = Graph.from_arrays([1.0, 8.0], [(0, 1)], [0.0])
    copied = plan(graph, Platform.of(accelerators=3, sync_bandwidth=math.inf), replicate=2)
    assert copied.value == 4 and [stage.copies for stage in copied.stages if stage.copies] != []


def test_a_bound_with_a_certificate():
    graph = Graph.from_arrays([3.0, 3.0, 2.0, 2.0, 2.0], [(0, 2), (1, 2), (2, 3), (2, 4)], [0.5] * 4)
    best = plan(graph, Platform.of(accelerators=2), shape="free")
    assert best.status == "optimal"
    if best.certificate is not None:
        assert json.loads(best.certificate)["partita"]["format"] == "certificate"


def test_a_certificate_is_looked_for_and_verified(tmp_path):
    graph = Graph.from_arrays([3.0, 3.0, 2.0, 2.0, 2.0], [(0, 2), (1, 2), (2, 3), (2, 4)], [0.5] * 4)
    two = Platform.of(accelerators=2)
    assert plan(graph, two).certificate is None
    best = plan(graph, two, certificate=True)
    assert best.status == "optimal" and best.certificate is not None
    verdict = check(graph, best, certificate=best.certificate)
    assert verdict and best.value * (1 - 1e-6) <= verdict.certified < best.value
    assert "certificate: verified" in repr(verdict)
    file = tmp_path / "proof.json"
    file.write_text(best.certificate)
    assert check(graph, best, certificate=file).certified == verdict.certified
    too_much = json.loads(best.certificate) | {"limit": best.value * 1.01}
    refused = check(graph, best, certificate=json.dumps(too_much))
    assert refused.legal and not refused and refused.certified is None
    assert check(graph, best).certified is None


def test_wishes():
    graph = Graph.from_arrays([1.0] * 4, [(0, 1), (1, 2), (2, 3)], [0.1] * 3, names=["a", "b", "c", "d"])
    two = Platform.of(accelerators=2)
    assert plan(graph, two, pin={"a": "accelerator 1"}).device_of[0] == 1
    together = plan(graph, two, together=[["b", "c"]]).device_of
    assert together[1] == together[2]
    apart = plan(graph, two, apart=["a,b"]).device_of
    assert apart[0] != apart[1]


def test_a_plan_to_start_from_is_never_made_worse(tmp_path):
    graph = chain(9)
    two = Platform.of(accelerators=2)
    first = plan(graph, two)
    assert plan(graph, two, start=first, time_limit=0).value <= first.value
    first.save(tmp_path / "first.json")
    assert plan(graph, two, start=tmp_path / "first.json").value == first.value
    with pytest.raises(InputError, match="start: is a plan for another graph"):
        plan(chain(8), two, start=first)


def test_no_split_is_a_result():
    graph = Graph.from_arrays([1.0, 1.0], [(0, 1)], [0.1], memory=[10, 10])
    none = plan(graph, Platform.of(accelerators=1, memory=15))
    assert none.status == "infeasible" and none.reason and none.value == math.inf
    assert none.stages == [] and none.device_of.tolist() == [] and repr(none).startswith("infeasible: ")
    with pytest.raises(InputError, match="no split, so there is nothing to draw"):
        none.svg()


@pytest.mark.parametrize(
    "arguments, text",
    [
        (dict(shape="round"), "shape: 'round' is not one of its values; expected staged, contiguous or free"),
        (dict(objective="speed"), "objective: 'speed' is not one of its values; expected throughput, max-load, gpipe"),
        (dict(host_cores="strict"), 'host_cores: only for objective="latency", not for objective="throughput"'),
        (dict(objective="latency", host_cores="many"), "host_cores: 'many' is not one of its values"),
        (dict(replicate=2, shape="free"), 'replicate: only for shape="staged", not for shape="free"'),
        (dict(microbatches=2), 'microbatches: only for memory_model="1f1b" and gpipe'),
        (dict(algorithm="magic"), "algorithm: 'magic' is not one of its values; expected auto, exact, linear or ip"),
        (dict(settings={"staged.anealing": 1}), "no setting 'staged.anealing'; did you mean staged.annealing?"),
        (dict(time_limit=-1), "time_limit: found -1; expected seconds"),
        (dict(threads=0), "threads: found 0; expected a whole number from 1 on"),
        (dict(gap=2), "gap: found 2; expected a fraction from 0 to 1"),
        (dict(shape=3), "shape: found 3; expected text"),
        (dict(callback=3), "callback: found int; expected a function"),
        (dict(pin={"nothing": "accelerator 0"}), "pin: no node of"),
        (dict(contract_layers=True), "contract_layers: no node of the graph has a layer"),
        (dict(batch=2), "batch: only where graph is a file's path"),
        (dict(platform=3), "platform: found 3; expected a Platform"),
    ],
)
def test_what_is_no_question(arguments, text):
    graph = Graph.read(EXAMPLES / "with-host.json")
    with pytest.raises(InputError) as raised:
        plan(graph, **arguments)
    assert text in str(raised.value)
    assert "--" not in str(raised.value) and "::" not in str(raised.value) and "\n" not in str(raised.value)


def test_a_graph_without_devices_says_so():
    with pytest.raises(InputError, match="does not say on which devices"):
        plan(chain(3))
    with pytest.raises(InputError, match='is a model, which has no costs of its own; .* platform="4xa100"'):
        plan(RESNET)
    with pytest.raises(InputError, match="graph: found list"):
        plan([1, 2])


def test_plans_of_several_threads_at_once():
    graph = chain(40)
    expected = {n: plan(graph, Platform.of(accelerators=n)).value for n in (1, 2, 3, 4)}
    found, errors = {}, []

    def one(n):
        try:
            found[n] = plan(graph, Platform.of(accelerators=n)).value
        except Exception as error:  # seen by the test, not by the thread
            errors.append(error)

    threads = [threading.Thread(target=one, args=(n,)) for n in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and found == expected


def test_names_of_the_package():
    assert partita.Plan is Plan and "plan" in dir(partita)
    with pytest.raises(AttributeError, match="has no attribute 'plans'"):
        partita.plans
