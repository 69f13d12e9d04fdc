# SPDX-License-Identifier: Apache-2.0
"""Measures PyTorch modules on a GPU, saves their workloads, and checks what they promise.

    PYTHONPATH=python python bench/torch_on_gpu.py --output workloads

For a GPT-2-like and a ResNet-like module in bf16, inference and training: the sum of operators against the whole, and
for a split into stages of even time (made here: no solver is needed) that the stages compute what the module
computes, and in inference how long each takes against the sum of its operators. Needs torch and this repository's
Python package alone.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from pathlib import Path

import torch
from torch import nn

import partita.torch
from partita.torch.aliases import must_stay_together
from partita.torch.cutting import cut
from partita.torch.forward import capture_forward
from partita.torch.stopwatch import pinned, stopwatch_for


class Gpt2Block(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.ln_1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    """GPT-2 with a head of its own; tied weights would have to be trained on one device."""

    def __init__(self, width: int, heads: int, depth: int, words: int, length: int):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, width), nn.Embedding(length, width)
        self.h = nn.ModuleList(Gpt2Block(width, heads) for _ in range(depth))
        self.ln_f, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.h:
            x = block(x)
        return self.head(self.ln_f(x))


class Bottleneck(nn.Module):
    def __init__(self, wide: int, narrow: int, out: int, stride: int):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(wide, narrow, 1, bias=False), nn.BatchNorm2d(narrow)
        self.conv2, self.bn2 = nn.Conv2d(narrow, narrow, 3, stride, 1, bias=False), nn.BatchNorm2d(narrow)
        self.conv3, self.bn3 = nn.Conv2d(narrow, out, 1, bias=False), nn.BatchNorm2d(out)
        self.act = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or wide != out:
            self.down = nn.Sequential(nn.Conv2d(wide, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = self.act(self.bn1(self.conv1(x)))
        y = self.act(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        y += x if self.down is None else self.down(x)
        return self.act(y)


class ResNet(nn.Module):
    def __init__(self, depths: tuple[int, ...], width: int):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        layers, wide = [], width
        for level, depth in enumerate(depths):
            narrow = width << level
            for i in range(depth):
                layers.append(Bottleneck(wide, narrow, 4 * narrow, 2 if i == 0 and level else 1))
                wide = 4 * narrow
        self.layers, self.head = nn.ModuleList(layers), nn.Linear(wide, 1000)

    def forward(self, image):
        x = self.stem(image)
        for layer in self.layers:
            x = layer(x)
        return self.head(x.mean((2, 3)))


def modules(small: bool, device) -> dict:
    """(module, args) by name; small ones try the script where there is no GPU."""
    if small:
        return {"gpt2": (Gpt2(32, 4, 2, 128, 16), (torch.randint(0, 128, (2, 16), device=device),)),
                "resnet": (ResNet((1, 1), 8), (torch.randn(2, 3, 32, 32, device=device),))}
    return {"gpt2-medium": (Gpt2(1024, 16, 24, 50304, 1024), (torch.randint(0, 50304, (8, 384), device=device),)),
            "resnet-152": (ResNet((3, 8, 36, 3), 64), (torch.randn(32, 3, 224, 224, device=device),))}


def loss_of(output):
    return output.float().square().mean()


def even_split(forward, workload: dict, count: int) -> dict:
    """A plan of stages with as even a share of the forward time as the order of the program and colours allow."""
    times = {node["name"].rsplit("/", 1)[-1]: node["fpgaLatency"] for node in workload["nodes"]}
    operators, total, stage, done = forward.operators(), sum(times.values()), {}, 0.0
    for node in operators:
        stage[node] = min(count - 1, int(count * done / total))
        done += times[node.name]
    groups = [group & stage.keys() for group in must_stay_together(forward.graph, forward.state)]
    before = None
    while before != stage:  # raised until no edge goes back and nothing is parted that must stay together
        before = dict(stage)
        for node in operators:
            stage[node] = max([stage[node]] + [stage[source] for source in node.all_input_nodes if source in stage])
        for group in groups:
            stage.update(dict.fromkeys(group, max(stage[node] for node in group)))
    numbered = {old: new for new, old in enumerate(sorted(set(stage.values())))}
    by_name = {node.name: numbered[place] for node, place in stage.items()}
    names = {str(node["id"]): node["name"] for node in workload["nodes"]}
    return {"partita": {"format": "plan", "version": 1}, "status": "feasible", "value": total / count,
            "shape": "staged", "devices": [{"name": f"gpu {i}", "stage": i} for i in range(len(numbered))],
            "node_names": names,
            "assignment": {number: by_name.get(name.rsplit("/", 1)[-1], 0) for number, name in names.items()}}


def check_stages(module, args, workload: dict, count: int, repetitions: int) -> dict:
    """Forward equal to the bit, gradients within rounding, times of stages against the sums of their operators."""
    forward = capture_forward(module, args)
    plan = even_split(forward, workload, count)
    parts = cut(forward, plan, training=False)
    device = args[0].device
    stopwatch = stopwatch_for(device, repetitions)
    stages = []
    with torch.no_grad():
        expected, value = module(*args), args
        for place, part in enumerate(parts):
            own = [node for node in workload["nodes"] if plan["assignment"][str(node["id"])] == place]
            measured = stopwatch.measure(lambda part=part, value=value: part(*value))
            predicted = sum(node["fpgaLatency"] for node in own)
            stages.append({"predicted_ms": predicted, "measured_ms": measured.seconds * 1e3})
            value = part(*value)
    return {"stages": stages, "forward_equal": torch.equal(value, expected)}


def check_gradients(module, args, workload: dict, count: int) -> float:
    """The largest difference of a gradient from the whole module's, as a share of that gradient's largest element."""
    whole = copy.deepcopy(module)
    loss_of(whole(*args)).backward()
    forward = capture_forward(module, args)
    forward_only = {**workload, "nodes": [node for node in workload["nodes"] if not node["isBackwardNode"]]}
    known = {node.name for node in forward.operators()} | {node.name for node in forward.inputs}
    forward_only["nodes"] = [node for node in forward_only["nodes"] if node["name"].rsplit("/", 1)[-1] in known]
    parts = cut(forward, even_split(forward, forward_only, count), training=True)
    loss_of(partita.torch.run_chain(parts, *args)).backward()
    worst = 0.0
    for name, parameter in whole.named_parameters():
        if parameter.grad is not None:
            difference = (module.get_parameter(name).grad - parameter.grad).abs().max()
            worst = max(worst, float(difference / parameter.grad.abs().max().clamp(min=1e-30)))
    return worst


def measure(name: str, module, args: tuple, training: bool, chosen) -> dict:
    """A row of the results; also printed, as soon as it is there."""
    device, dtype = torch.device(chosen.device), getattr(torch, chosen.dtype)
    module = module.to(device=device, dtype=dtype).train(training)
    args = tuple(one.to(dtype) if one.is_floating_point() else one for one in args)
    begin = time.perf_counter()
    measured = partita.torch.profile(module, args, training=training, loss=loss_of if training else None,
                                     devices=chosen.stages, repetitions=chosen.repetitions)
    seconds = time.perf_counter() - begin
    title = f"{name}-{'training' if training else 'inference'}"
    measured.save(chosen.output / f"{title}.json")
    meta = measured.workload["meta"]
    row = {"workload": title, "device": meta["device"], "torch": meta["torch"],
           "nodes": len(measured.workload["nodes"]), "distinct": meta["distinctOperators"],
           "not_captured": meta.get("notCaptured"), "sum_ms": meta["sumMs"],
           "whole_ms": meta["wholeMs"], "whole_spread_ms": meta["wholeSpreadMs"],
           "sum_over_whole": measured.sum / measured.whole.seconds, "transfer_us": measured.transfers.latency * 1e6,
           "transfer_GBps": measured.transfers.bandwidth / 1e9, "profile_s": seconds}
    if training:
        row["gradient_difference"] = check_gradients(module, args, measured.workload, chosen.stages)
        module.zero_grad()
    else:
        row |= check_stages(module, args, measured.workload, chosen.stages, chosen.repetitions)
    print(json.dumps(row), flush=True)
    return row


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="cuda")
    options.add_argument("--output", type=Path, default=Path("."), help="folder for workloads and results.json")
    options.add_argument("--stages", type=int, default=4)
    options.add_argument("--repetitions", type=int, default=11)
    options.add_argument("--small", action="store_true", help="tiny modules, to try the script")
    options.add_argument("--dtype", default="bfloat16")
    chosen = options.parse_args()
    device = torch.device(chosen.device)
    chosen.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    with torch.cuda.device(device) if device.type == "cuda" else pinned(1):
        results = [measure(name, module, args, training, chosen)
                   for name, (module, args) in modules(chosen.small, device).items() for training in (False, True)]
    (chosen.output / "results.json").write_text(json.dumps(results, indent=1))
    good = [row.get("forward_equal", True) and row.get("gradient_difference", 0) < 0.05 for row in results]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
