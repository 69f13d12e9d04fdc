# SPDX-License-Identifier: Apache-2.0
"""Graphs: from files, arrays and networkx, and what they tell of themselves."""

import pickle

import numpy
import pytest
from planning_support import EXAMPLES, chain

from partita import Graph, InputError, Platform, plan


def test_arrays_come_back_as_they_went_in():
    graph = Graph.from_arrays(
        [[1.0, 5.0], [2.0, numpy.inf], [3.0, 7.0]],
        [(0, 1), (1, 2)],
        [0.5, 0.25],
        memory=[10, 20, 30],
        names=["a", "b", "c"],
        colours=[1, None, 1],
        layers=[0, 0, 1],
        backward=[False, False, False],
        ops=["Conv", "Relu", "Conv"],
        unit="ms",
    )
    assert len(graph) == 3 and graph.unit == "ms" and graph.names == ["a", "b", "c"]
    assert graph.times.tolist() == [[1, 5], [2, numpy.inf], [3, 7]]
    assert graph.edges.tolist() == [[0, 1], [1, 2]] and graph.edge_costs.tolist() == [0.5, 0.25]
    assert graph.memory.tolist() == [10, 20, 30]
    assert graph.colours == [1, None, 1] and graph.layers == [0, 0, 1] and graph.ops == ["Conv", "Relu", "Conv"]
    assert graph.backward.dtype == bool and not graph.backward.any()


def test_a_column_of_times_is_for_accelerators_alone():
    graph = chain(4)
    assert graph.times.tolist() == [1, 2, 3, 1]
    best = plan(graph, Platform.of(accelerators=1, hosts=4))
    assert {stage.device for stage in best.stages} == {"accelerator 0"}


def test_times_for_the_classes_of_a_platform(tmp_path):
    mixed = tmp_path / "mixed.json"
    mixed.write_text(
        '{"version": 1, "classes": [{"name": "big", "kind": "accelerator", "count": 1},'
        ' {"name": "small", "kind": "accelerator", "count": 2}]}'
    )
    graph = Graph.from_arrays([[1.0, 3.0], [1.0, 3.0]], [(0, 1)], [0.0], platform=Platform.read(mixed))
    assert plan(graph).value == 2.0
    with pytest.raises(InputError, match="found 3 columns; expected one for each class of the platform: big, small"):
        Graph.from_arrays([[1.0, 2.0, 3.0]], platform=Platform.read(mixed))


def test_a_graph_is_saved_and_read(tmp_path):
    graph = chain(5).on(Platform.of(accelerators=2, memory="1GiB"))
    graph.save(tmp_path / "graph.json")
    again = Graph.read(tmp_path / "graph.json")
    assert again.fingerprint == graph.fingerprint and again.times.tolist() == graph.times.tolist()
    assert repr(again.platform.classes[0]) == repr(graph.platform.classes[0])
    assert Graph.parse(graph.to_json()).fingerprint == graph.fingerprint


def test_a_graph_is_pickled():
    graph = chain(5).on(Platform.of(accelerators=2))
    again = pickle.loads(pickle.dumps(graph))
    assert again.fingerprint == graph.fingerprint and plan(again).value == plan(graph).value


def test_networkx_there_and_back():
    networkx = pytest.importorskip("networkx")
    there = networkx.DiGraph(name="net")
    there.add_node("a", time=1.0, memory=4.0, op="Conv")
    there.add_node("b", time=2.0, colour=3)
    there.add_node("c", time=1.5, colour=3)
    there.add_edge("a", "b", cost=0.5)
    there.add_edge("b", "c")
    graph = Graph.from_networkx(there, unit="ms")
    assert graph.names == ["a", "b", "c"] and graph.colours == [None, 3, 3] and graph.name == "net"
    back = graph.to_networkx()
    assert back.nodes[0] == {"name": "a", "time": 1.0, "memory": 4.0, "backward": False, "op": "Conv"}
    assert list(back.edges(data=True)) == [(0, 1, {"cost": 0.5}), (1, 2, {"cost": 0.0})]
    assert Graph.from_networkx(back).fingerprint == graph.fingerprint
    with pytest.raises(InputError, match="node 'x': has no attribute 'time'"):
        there.add_node("x")
        Graph.from_networkx(there)


@pytest.mark.parametrize(
    "file, nodes", [("with-host.json", 6), ("unet-inference.json.gz", None), ("models/gpt2.json", None)]
)
def test_files_of_several_formats(file, nodes):
    graph = Graph.read(EXAMPLES / file)
    assert len(graph) == (nodes or len(graph)) > 5
    assert len(graph.names) == len(graph) and graph.edges.max() < len(graph)


def test_a_model_has_costs_on_a_platform():
    bare = Graph.read(EXAMPLES / "models" / "gpt2.json", batch=2, sequence=128)
    with pytest.raises(InputError, match="is a model, which has no costs of its own"):
        bare.times
    with pytest.raises(InputError, match="numbers of devices are not enough"):
        bare.on(Platform.of(accelerators=2))
    costed = bare.on("2xa100")
    assert costed.unit == "ms" and (costed.times > 0).any() and costed.platform.classes[0].count == 2
    larger = Graph.read(EXAMPLES / "models" / "gpt2.json", "2xa100", batch=8, sequence=128)
    assert larger.times.sum() > costed.times.sum()
    training = Graph.read(EXAMPLES / "models" / "gpt2.json", "2xa100", training=True)
    assert training.backward.any() and not costed.backward.any()


@pytest.mark.parametrize(
    "arguments, text",
    [
        (dict(times=[1.0, 2.0], edges=[(0, 2)]), "edges: found the place 2 for 2 nodes; expected 0 to 1"),
        (dict(times=[1.0, 2.0], edges=[(0, 1), (1, 0)]), "cycle"),
        (dict(times=[1.0, -2.0]), "-2"),
        (dict(times=[1.0, float("nan")]), "nan"),
        (dict(times="abc"), "times: found what is no array of numbers"),
        (dict(times=[[[1.0]]]), "times: found an array of 3 dimensions; expected 1 or 2"),
        (dict(times=[1.0], memory=[1, 2]), "memory: found 2 entries for 1 nodes; expected one each"),
        (dict(times=[1.0, 1.0], edges=[(0.5, 1)]), "edges: found float64; expected whole numbers"),
        (dict(times=[1.0, 1.0], edges=[(0, 1, 1)]), "expected a pair of places for each edge"),
        (dict(times=[1.0, 1.0], edges=[(0, 1)], edge_costs=[1, 2]), "edge_costs: found 2 entries for 1 edges"),
        (dict(times=[1.0], names=["a", "b"]), "names: found 2 entries for 1 nodes"),
        (dict(times=[[1.0, 2.0, 3.0]]), "times: found 3 columns; expected 1"),
        (dict(times=[1.0], platform="2xa100"), "'2xa100' says what devices can do"),
    ],
)
def test_arrays_that_are_no_graph(arguments, text):
    with pytest.raises(InputError) as raised:
        Graph.from_arrays(**arguments)
    assert text in str(raised.value)
    assert "\n" not in str(raised.value) and "::" not in str(raised.value)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (dict(dtype="float17"), "dtype: 'float17' is not the name of a type"),
        (dict(phase="sleep"), "phase: 'sleep' is not one of its values; expected prefill or decode or training"),
        (dict(batch=0), "batch: found 0; expected a whole number from 1 on"),
        (dict(batch=1.5), "batch: found 1.5; expected a whole number"),
        (dict(optimizer="sgd"), "optimizer: only with training"),
        (dict(phase="decode", training=True), "phase: 'decode' does not go with training"),
        (dict(profile_on="a100"), "profile_on: only with profile"),
        (dict(profile="missing.csv"), "missing.csv: cannot be opened"),
    ],
)
def test_arguments_of_models_that_are_wrong(arguments, text):
    with pytest.raises(InputError) as raised:
        Graph.read(EXAMPLES / "models" / "gpt2.json", "2xa100", **arguments)
    assert text in str(raised.value)


def test_a_workload_has_no_arguments_of_models():
    with pytest.raises(InputError, match="^batch: only for model files"):
        Graph.read(EXAMPLES / "with-host.json", batch=2)
    with pytest.raises(InputError, match="cannot be opened"):
        Graph.read("nowhere.json")


def test_a_graph_shows_itself():
    assert repr(chain(3)) == "Graph: 3 nodes, 2 edges"
    assert repr(Graph.read(EXAMPLES / "with-host.json")).startswith("Graph: with-host: 6 nodes, 6 edges; 2 acc")
    assert chain(3)._repr_html_() == "<code>Graph: 3 nodes, 2 edges</code>"
