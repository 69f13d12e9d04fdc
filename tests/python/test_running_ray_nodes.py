# SPDX-License-Identifier: Apache-2.0
"""A cluster that loses a node while a pipeline runs: several nodes on this machine, one of which is killed."""

import importlib.util

import pytest

pytest.importorskip("numpy")
pytest.importorskip("onnx", reason="the package onnx is not installed")
pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
if importlib.util.find_spec("ray") is None:  # the engine imports it, in its own way
    pytest.skip("the package ray is not installed", allow_module_level=True)

import partita
from models import chain, chain_groups, cut, samples
from partita.pipeline import Pipeline
from partita.running.feeds import Feeds
from partita.running.ray_cluster import ray_module
from partita.running.ray_engine import RayEngine


@pytest.fixture(name="nodes")
def three_nodes():
    """Each with room for one device; the program's own node has none."""
    ray = ray_module()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={
        "num_cpus": 0, "object_store_memory": 100 << 20, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(3)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield {node.node_id: (cluster, node) for node in nodes}
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.long
def test_a_lost_node_is_replaced_and_every_result_comes_once_until_there_is_no_other(tmp_path, nodes):
    model = chain(layers=3, width=128, batch=256)  # tensors that lie in the nodes' object stores
    folder = cut(model, tmp_path / "stages", chain_groups(3, 2))
    feeds = samples(model, 160)
    pipeline = Pipeline.read(folder)

    def lose(name):
        cluster, node = nodes[engine.nodes()[name]]
        cluster.remove_node(node, allow_graceful=False)

    made = []
    with pytest.raises(partita.RunError, match="core 0: not started in 40 s; the cluster has 2 nodes with 1 CPU"):
        with RayEngine(pipeline, None, Feeds(pipeline, feeds), strategy="SPREAD", group=2, start_timeout=40) as engine:
            first = engine.nodes()
            assert len(set(first.values())) == 2
            for number, outputs in enumerate(engine.stream()):
                made.append(outputs)
                if number == 50:
                    lose("core 1")
                if number == 100:
                    second = engine.nodes()
                    lose("core 0")
    assert second["core 0"] == first["core 0"] and second["core 1"] not in first.values()
    assert 100 < len(made) < 160
    for feed, outputs in zip(feeds, made):
        assert outputs["y"].tobytes() == model.expected(feed)["y"].tobytes()
