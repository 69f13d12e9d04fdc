# SPDX-License-Identifier: Apache-2.0
"""Small modules and hand-made plans for the tests of partita.torch."""

import random

import torch
from torch import nn

from partita.torch.aliases import must_stay_together
from partita.torch.capturing import capture_of


class Mlp(nn.Module):
    """Linear layers, each with a skip to the end."""

    def __init__(self, width=8, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        passed = []
        for layer in self.layers:
            x = torch.relu(layer(x))
            passed.append(x)
        return sum(passed)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(),
                                  nn.Linear(2 * width, width))

    def forward(self, x, mask):
        batch, length, width = x.shape
        parts = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind(0)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.feed(x)


class Transformer(nn.Module):
    """Token ids, a mask made of them, and optionally the table of tokens as the head."""

    def __init__(self, words=13, width=8, heads=2, depth=2, tied=False):
        super().__init__()
        self.tokens = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(16, width) * 0.1)
        self.register_buffer("causal", torch.ones(16, 16, dtype=torch.bool).tril(), persistent=False)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        if tied:
            self.head.weight = self.tokens.weight

    def forward(self, ids, *, scale=None):
        length = ids.shape[1]
        mask = self.causal[:length, :length] & (ids != 0)[:, None, None, :] | torch.eye(length, dtype=torch.bool)
        x = self.tokens(ids) + self.places[:length]
        for block in self.blocks:
            x = block(x, mask)
        if scale is not None:
            x = x * scale
        return self.head(self.norm(x))


class ConvNet(nn.Module):
    """Batch norm, activations in place, several outputs in a dict."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.blocks = nn.ModuleList(nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)) for _ in range(2))
        self.head = nn.Linear(4, 3)

    def forward(self, image):
        x = self.stem(image)
        for block in self.blocks:
            x = nn.functional.relu_(x + block(x))
        features = x.mean((2, 3))
        return {"scores": self.head(features), "features": features}


class RandomDag(nn.Module):
    """A random program over values of shape [rows, width], made of a seed."""

    def __init__(self, seed, width=6, steps=14):
        super().__init__()
        numbers = random.Random(seed)
        self.program = []
        self.weights = nn.ModuleList()
        kinds = ["linear", "linear", "add", "mul", "norm", "relu_", "split", "turn", "where", "shared", "counted",
                 "fill_"]
        for step in range(steps):
            kind = numbers.choice(kinds)
            place = len(self.weights)
            if kind == "linear":
                self.weights.append(nn.Linear(width, width))
            elif kind == "norm":
                self.weights.append(nn.LayerNorm(width))
            elif kind == "counted":
                self.weights.append(nn.BatchNorm1d(width))
            elif kind == "shared":
                place = numbers.randrange(1 + len(self.weights)) - 1
            # Reading what is near makes long graphs, reading the first values makes skips.
            reads = [max(0, step - int(numbers.expovariate(0.5))) for _ in range(2)]
            self.program.append((kind, place, reads))

    def forward(self, x, other):
        values, counted = [x * 1.5], 0.0
        for kind, place, (first, second) in self.program:
            a, b = values[first], values[second]
            if kind in ("linear", "norm"):
                made = self.weights[place](a)
            elif kind == "counted":  # torch.export is wrong about the strides of batch norm behind a transposed tensor
                made = self.weights[place](a.contiguous())
                counted = counted + made  # read: torch 2.5 leaves out batch norms that nothing reads
            elif kind == "shared":
                made = self.weights[place](b) if place >= 0 else b + other
            elif kind == "add":
                made = a + b
            elif kind == "mul":
                made = a * torch.tanh(b)
            elif kind == "relu_":
                made = torch.relu_(a + other)
            elif kind == "split":
                left, right = torch.chunk(a, 2, dim=1)
                made = torch.cat([right, left], dim=1)
            elif kind == "turn":
                made = (a.t().contiguous() * 0.5).t() + b  # passes on what is dense, but not contiguous
            elif kind == "where":
                made = torch.where(b.detach() > 0, a, 0.1 * a)
            else:
                made = a.clone()
                made[:, 0] = b[:, 1]
            values.append(made)
        return values[-1], values[len(values) // 2] + counted


def plan_of(forward, stage_by_name, count, shape="staged"):
    """A plan that puts each operator where `stage_by_name` says, in the format of `partita plan -o`."""
    nodes = capture_of(forward).nodes
    names = [node.name.rsplit("/", 1)[-1] for node in nodes]
    return {
        "partita": {"format": "plan", "version": 1, "program_version": "test"}, "workload": "test", "shape": shape,
        "status": "feasible", "value": 1.0, "model": {},
        "devices": [{"name": f"accelerator {i}", "stage": i if shape == "staged" else None} for i in range(count)],
        "assignment": {str(i): stage_by_name.get(name, 0) for i, name in enumerate(names)},
        "node_names": {str(i): node.name for i, node in enumerate(nodes)},
    }


def made_legal(forward, wanted):
    """The stages of `wanted` (by node), raised until no edge goes back and what must stay together does."""
    stage = dict(wanted)
    groups = [[node for node in group if node in stage] for group in must_stay_together(forward.graph, forward.state)]
    before = None
    while before != stage:
        before = dict(stage)
        for node in stage:
            stage[node] = max([stage[node]] + [stage[source] for source in node.all_input_nodes if source in stage])
        for group in groups:
            for node in group:
                stage[node] = max(stage[one] for one in group)
    return stage


def random_plan(forward, count, seed):
    """A legal split into `count` stages or fewer: near to the order of the program, with outliers."""
    numbers = random.Random(seed)
    operators = forward.operators()
    wanted = {node: min(count - 1, max(0, int(count * i / len(operators) + numbers.gauss(0, 0.4))))
              for i, node in enumerate(operators)}
    stage = made_legal(forward, wanted)
    numbered = {old: new for new, old in enumerate(sorted(set(stage.values())))}
    return plan_of(forward, {node.name: numbered[place] for node, place in stage.items()}, len(numbered))


def even_plan(forward, count):
    """Stages with as many operators each, as far as that is legal."""
    operators = forward.operators()
    stage = made_legal(forward, {node: i * count // len(operators) for i, node in enumerate(operators)})
    return plan_of(forward, {node.name: place for node, place in stage.items()}, count)
