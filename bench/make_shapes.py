# SPDX-License-Identifier: Apache-2.0
"""make_shapes.py SHAPE [inference|training] [LAYERS] [SEED]: writes a workload of a shape that real models have.

Shapes: two-towers (two encoders of different width that meet at their ends), encoder-decoder (cross attention in every
layer of the decoder), windowed (attention in many windows side by side), residual (convolutions with short cuts,
of growing width), experts (four experts a layer, side by side). Times, sizes and transfer costs are about those of a
current accelerator; training adds a backward twin to every node and a weight gradient beside it, which nothing waits
for. For measurements on graphs that no recorded workload resembles.
"""
import json
import random
import sys


class Builder:
    def __init__(self, seed):
        self.nodes, self.edges, self.cost, self.weights = [], [], [], []
        self.random = random.Random(seed)

    def add(self, name, time, inputs, cost=0.05, weights=0.0):
        time *= self.random.uniform(1, 1.1)
        self.nodes.append({"id": len(self.nodes), "name": name, "supportedOnFpga": 1, "fpgaLatency": time,
                           "cpuLatency": 30 * time, "size": weights, "isBackwardNode": 0})
        self.cost.append(cost)
        self.weights.append(weights)
        node = len(self.nodes) - 1
        for source in inputs:
            self.edges.append((source, node))
        return node

    def backward(self):
        """Twins in reverse, colocated with their nodes; a weight gradient for every node with weights."""
        count, forward, twin = len(self.nodes), list(self.edges), {}
        for node in reversed(range(count)):
            self.nodes[node]["colorClass"] = node
            twin[node] = self.add("grad " + self.nodes[node]["name"], self.nodes[node]["fpgaLatency"], [],
                                  self.cost[node])
            self.nodes[twin[node]].update(colorClass=node, isBackwardNode=1)
        for source, target in forward:
            self.edges.append((twin[target], twin[source]))
        for node in range(count):
            if self.nodes[node]["fpgaLatency"] > 0:
                self.edges.append((node, twin[node]))
            if self.weights[node] > 0:
                gradient = self.add("weight " + self.nodes[node]["name"], self.nodes[node]["fpgaLatency"], [], 0.04,
                                    3 * self.weights[node])
                self.nodes[gradient]["isBackwardNode"] = 1
                for source in [s for s, t in forward if t == node]:
                    self.edges.append((source, gradient))
                for source in [twin[t] for s, t in forward if s == node]:
                    self.edges.append((source, gradient))

    def workload(self, name, accelerators=6, hosts=1):
        edges = [{"sourceId": s, "destId": t, "cost": self.cost[s]} for s, t in self.edges]
        return {"name": name, "maxSizePerFPGA": 2.0**34, "maxFPGAs": accelerators, "maxCPUs": hosts,
                "nodes": self.nodes, "edges": edges}


def attention(b, name, x, width, source=None, mask=None):
    normed = b.add(name + " norm", 0.004 * width, [x], 0.05 * width)
    keys_from = normed if source is None else source
    q = b.add(name + " q", 0.02 * width * width, [normed], 0.05 * width, 2e6)
    k = b.add(name + " k", 0.02 * width * width, [keys_from], 0.05 * width, 2e6)
    v = b.add(name + " v", 0.02 * width * width, [keys_from], 0.05 * width, 2e6)
    scores = b.add(name + " scores", 0.01 * width, [q, k] + ([mask] if mask is not None else []), 0.2)
    context = b.add(name + " context", 0.01 * width, [scores, v], 0.05 * width)
    out = b.add(name + " out", 0.02 * width * width, [context], 0.05 * width, 2e6)
    return b.add(name + " add", 0.004 * width, [x, out], 0.05 * width)


def dense(b, name, x, width):
    normed = b.add(name + " norm", 0.004 * width, [x], 0.05 * width)
    up = b.add(name + " up", 0.08 * width * width, [normed], 0.2 * width, 8e6)
    act = b.add(name + " act", 0.008 * width, [up], 0.2 * width)
    down = b.add(name + " down", 0.08 * width * width, [act], 0.05 * width, 8e6)
    return b.add(name + " add", 0.004 * width, [x, down], 0.05 * width)


def tower(b, name, x, layers, width):
    mask = b.add(name + " mask", 0.002, [x], 0.03)
    for layer in range(layers):
        x = attention(b, f"{name} {layer} attention", x, width, mask=mask)
        x = dense(b, f"{name} {layer} dense", x, width)
    return x


def two_towers(b, layers):
    ends = []
    for name, width in (("text", 0.8), ("image", 1.2)):
        x = b.add(name + " input", 0.01, [], 0.03)
        ends.append(b.add(name + " head", 0.01, [tower(b, name, x, layers, width)], 0.01, 1e6))
    b.add("similarity", 0.005, ends, 0.01)


def encoder_decoder(b, layers):
    source = tower(b, "encoder", b.add("audio", 0.05, [], 0.05), layers, 1.0)
    x, mask = b.add("tokens", 0.01, [], 0.02), b.add("causal", 0.001, [], 0.02)
    for layer in range(layers):
        x = attention(b, f"decoder {layer} self", x, 0.7, mask=mask)
        x = attention(b, f"decoder {layer} cross", x, 0.7, source=source)
        x = dense(b, f"decoder {layer} dense", x, 0.7)
    b.add("logits", 0.4, [x], 0.3, 5e7)


def windowed(b, layers):
    x, width = b.add("patches", 0.05, [], 0.2), 2.0
    for layer in range(layers):
        width *= 0.8 if layer % 4 == 3 else 1
        pieces = []
        for window in range(4):
            w = b.add(f"{layer} roll {window}", 0.004, [x], 0.06 * width)
            bias = b.add(f"{layer} bias {window}", 0.002, [], 0.03)
            pieces.append(attention(b, f"{layer} window {window}", w, width / 3, mask=bias))
        merged = b.add(f"{layer} merge", 0.01, pieces, 0.1 * width)
        x = dense(b, f"{layer} dense", b.add(f"{layer} add", 0.005, [x, merged], 0.1 * width), width / 2)


def residual(b, layers):
    x, time, cost = b.add("image", 0.02, [], 0.1), 0.1, 0.4
    for layer in range(layers):
        if layer % 5 == 4:
            time, cost = time * 1.1, cost * 0.7
        short = b.add(f"{layer} short", time / 4, [x], cost, 1e6) if layer % 5 == 4 else x
        y = x
        for step in range(3):
            y = b.add(f"{layer} conv {step}", time * (1, 2, 1)[step] / 4, [y], cost / (1 if step == 2 else 3), 2e6)
            y = b.add(f"{layer} norm {step}", 0.01, [y], cost / (1 if step == 2 else 3))
        x = b.add(f"{layer} add", 0.005, [short, y], cost)
    b.add("head", 0.02, [x], 0.01, 4e6)


def experts(b, layers):
    x = b.add("tokens", 0.01, [], 0.05)
    for layer in range(layers):
        x = attention(b, f"{layer} attention", x, 0.7)
        route = b.add(f"{layer} route", 0.006, [x], 0.02)
        parts = []
        for expert in range(4):
            parts.append(dense(b, f"{layer} expert {expert}", b.add(f"{layer} gather {expert}", 0.005, [x, route], 0.05),
                               0.6))
        x = b.add(f"{layer} combine", 0.01, parts + [route], 0.05)


SHAPES = {"two-towers": two_towers, "encoder-decoder": encoder_decoder, "windowed": windowed, "residual": residual,
          "experts": experts}


def main():
    args = sys.argv[1:] + [None] * 4
    if args[0] not in SHAPES or args[1] not in (None, "inference", "training"):
        sys.exit(__doc__)
    b = Builder(int(args[3] or 1))
    SHAPES[args[0]](b, int(args[2] or 12))
    if args[1] == "training":
        b.backward()
    json.dump(b.workload("-".join(filter(None, args[:3]))), sys.stdout)


if __name__ == "__main__":
    main()
