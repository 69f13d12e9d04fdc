# SPDX-License-Identifier: Apache-2.0
"""Large graphs for the limits suite, and the platforms that they are split over.

Times and sizes are all different, so that no reduction makes a small graph of a large one. Each graph has a training
variant: every node gets a backward node of the same colour, and every edge its mirror image."""

import json
import random

ACCELERATORS = 8


def _node(node_id, rng, **fields):
    time = rng.uniform(1, 10)
    return {"id": node_id, "fpgaLatency": time, "cpuLatency": 10 * time, "size": rng.uniform(1, 10),
            "supportedOnFpga": True, "isBackwardNode": False} | fields


def transformer(count, rng):
    """A chain of blocks: four branches out of one node and into another, and a way around all of them."""
    edges, block = [], 6
    for start in range(0, count - 1, block):
        join = min(start + block - 1, count - 1)
        for branch in range(start + 1, join):
            edges += [(start, branch), (branch, join)]
        edges.append((start, join))
        if join + 1 < count:
            edges.append((join, join + 1))
    return edges


def wide(count, rng):
    """Layers of a hundred nodes, each fed by three of the layer before."""
    width = 100
    return [(node - node % width - width + place, node) for node in range(width, count)
            for place in rng.sample(range(width), 3)]


def random_graph(count, rng):
    """Every node is fed by up to three of those before it, near ones and far ones."""
    edges = set()
    for node in range(1, count):
        for _ in range(rng.randint(1, 3)):
            reach = node if rng.random() < 0.1 else min(node, 50)
            edges.add((node - rng.randint(1, reach), node))
    return sorted(edges)


GRAPHS = {"transformer": transformer, "wide": wide, "random": random_graph}


def workload(kind, count, training=False, seed=1):
    """As a dictionary in the paper's format, for ACCELERATORS devices of which each holds a fourth of all."""
    rng = random.Random(seed)
    forward = count // 2 if training else count
    pairs = GRAPHS[kind](forward, rng)
    cost = [rng.uniform(0.5, 5) for _ in range(forward)]
    nodes = [_node(i, rng) for i in range(forward)]
    edges = [{"sourceId": a, "destId": b, "cost": cost[a]} for a, b in pairs]
    if training:
        for i in range(forward):
            nodes[i]["colorClass"] = i
            nodes.append(_node(forward + i, rng, isBackwardNode=True, colorClass=i))
        back = [rng.uniform(0.5, 5) for _ in range(forward)]
        edges += [{"sourceId": forward + b, "destId": forward + a, "cost": back[b]} for a, b in pairs]
        edges.append({"sourceId": forward - 1, "destId": 2 * forward - 1, "cost": cost[forward - 1]})
    memory = sum(node["size"] for node in nodes) / 4
    return {"name": f"{kind}-{count}", "maxFPGAs": ACCELERATORS, "maxSizePerFPGA": memory, "maxCPUs": 1,
            "nodes": nodes, "edges": edges}


def platform(kind, memory):
    """The devices of a platform file; None for those in the workload itself."""
    classes = [{"name": "new", "kind": "accelerator", "count": 3, "memory": memory},
               {"name": "old", "kind": "accelerator", "count": 5, "memory": memory, "timeFactor": 2.5, "linkFactor": 2},
               {"name": "cpu", "kind": "host", "count": 1}]
    if kind == "classes":
        return {"version": 1, "classes": classes}
    if kind == "clusters":
        return {"version": 1, "classes": [{"name": "gpu", "kind": "accelerator", "memory": memory},
                                          {"name": "cpu", "kind": "host"}],
                "clusters": {"factor": 1, "devices": {"cpu": 1},
                             "clusters": [{"factor": 0.1, "devices": {"gpu": 4}, "count": 2}]}, "syncBandwidth": 10}
    return None


def write(path, content):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path
