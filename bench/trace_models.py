#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace_models.py [MODEL ...] [--output FOLDER]: writes workloads of real models, operator by operator, without a GPU.

Models: clip (two towers), whisper (encoder and decoder), swin (windows), resnet152, efficientnet, vit; each for inference
and for training. Needs torch, torchvision and transformers, and no weights: graphs do not depend on them.

The graph is AOTAutograd's: ATen operators of the forward and of the backward pass, views and items of tuples included. What
reads one parameter, and what makes its gradient, shares a device (`colorClass`), as do an operator and its items.
Times are those of a roofline, about that of a current accelerator, not measured: the point is the shape of the graph,
in which gradients of weights hang beside the chain, masks and views belong nowhere, and towers meet only at their ends.
For measurements on graphs that no recorded workload resembles; make_shapes.py has smaller ones.
"""

from __future__ import annotations

import argparse
import gzip
import json
import operator
import types
from pathlib import Path

import torch
from functorch.compile import aot_module
from torch import fx
from torch._functorch.partitioners import default_partition

LATENCY_MS, BYTES_PER_MS = 0.01, 55e6  # of a transfer
CPU_FACTOR = 90  # how many times slower the host is
OPTIMIZER_FACTOR = 3  # a gradient and two moments, for each byte of weights
FREE = {
    "_unsafe_view", "alias", "as_strided", "chunk", "detach", "expand", "getitem", "lift_fresh_copy", "permute", "reshape",
    "select", "slice", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "view",
}  # fmt: skip
# Microseconds to begin with, and bytes per second, of operators that move their tensors.
MOVERS = {
    "batch_norm": (5, 0.25e12), "softmax": (2, 1.2e12), "layer_norm": (2, 1.2e12), "clone": (1.2, 1.1e12),
    "_to_copy": (1.2, 1.1e12), "cat": (1.2, 1.1e12), "roll": (1.2, 1.1e12), "constant_pad": (1.2, 1.1e12),
    "sum": (2.5, 1.5e12), "mean": (2.5, 1.5e12), "embedding_dense_backward": (10, 0.2e12), "index_put": (10, 0.2e12),
}  # fmt: skip
OTHERS = (1.2, 2.6e12)


# --- models: a module in bf16, and its arguments ------------------------------------------------------------------------


def images(count: int) -> tuple:
    return (torch.randn(count, 3, 224, 224, dtype=torch.bfloat16),)


class Logits(torch.nn.Module):
    """A model of transformers, called with named arguments, as a module that returns one tensor."""

    def __init__(self, model, names: list[str], output: str):
        super().__init__()
        self.model, self.names, self.output = model, names, output

    def forward(self, *tensors):
        return getattr(self.model(**dict(zip(self.names, tensors))), self.output)


def clip():
    from transformers import CLIPConfig, CLIPModel

    config = CLIPConfig(vision_config={"patch_size": 16}, attn_implementation="eager")
    return (Logits(CLIPModel(config), ["input_ids", "pixel_values"], "logits_per_image"),
            (torch.randint(0, 49000, (64, 77)), *images(64)))


def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    from transformers.models.whisper import modeling_whisper

    def causal_mask(inputs_embeds, **_):  # transformers' own looks at values, which a trace does not have
        length = inputs_embeds.shape[1]
        mask = torch.full((length, length), float("-inf"), dtype=inputs_embeds.dtype).triu(1)
        return mask.expand(inputs_embeds.shape[0], 1, length, length)

    modeling_whisper.create_causal_mask = causal_mask
    size = {"d_model": 768, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 12,
            "decoder_attention_heads": 12, "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072}
    model = WhisperForConditionalGeneration(WhisperConfig(**size, attn_implementation="eager", use_cache=False))
    model.proj_out = torch.nn.Linear(768, model.proj_out.out_features, bias=False)  # tied weights cannot be traced
    return (Logits(model, ["input_features", "decoder_input_ids"], "logits"),
            (torch.randn(8, 80, 3000, dtype=torch.bfloat16), torch.randint(0, 50000, (8, 224))))


def vit():
    from transformers import ViTConfig, ViTForImageClassification

    model = ViTForImageClassification(ViTConfig(attn_implementation="eager", num_labels=1000))
    return Logits(model, ["pixel_values"], "logits"), images(64)


def of_torchvision(name: str):
    import torchvision.models

    return getattr(torchvision.models, name)(), images(64)


MODELS = {
    "clip": clip, "whisper": whisper, "vit": vit, "swin": lambda: of_torchvision("swin_t"),
    "resnet152": lambda: of_torchvision("resnet152"), "efficientnet": lambda: of_torchvision("efficientnet_b4"),
}  # fmt: skip


# --- tracing ----------------------------------------------------------------------------------------------------------


class Traced(Exception):
    """Ends a run once its graphs are known: nothing is ever computed."""


def trace(name: str, training: bool) -> types.SimpleNamespace:
    """Forward and (in training) backward graph, and how many of the forward graph's inputs are parameters and buffers."""
    torch.manual_seed(1)
    module, arguments = MODELS[name]()
    module = module.to(torch.bfloat16).train(training)
    for part in module.modules():
        if type(part).__name__ in ("Dropout", "StochasticDepth"):
            part.p = 0.0
    found = types.SimpleNamespace(forward=None, backward=None, parameters=len(list(module.parameters())),
                                  buffers=len(list(module.buffers())))

    def take_forward(graph_module, _):
        found.forward = graph_module.graph
        raise Traced

    def take_both(joint, inputs, **options):
        forward, backward = default_partition(joint, inputs, **options)
        found.forward, found.backward = forward.graph, backward.graph
        raise Traced

    traced = aot_module(module, take_forward, take_forward, take_both, inference_compiler=take_forward)
    try:
        with torch.set_grad_enabled(training):
            traced(*arguments)
    except Exception:
        if found.forward is None:
            raise
    return found


# --- costs ------------------------------------------------------------------------------------------------------------


def bytes_of(value) -> int:
    if isinstance(value, (list, tuple)):
        return sum(bytes_of(item) for item in value)
    return value.numel() * value.element_size() if isinstance(value, torch.Tensor) else 0


def full_name(node: fx.Node) -> str:
    if node.op == "placeholder":
        return "input"
    if node.op != "call_function":
        return node.op
    return "<built-in function getitem>" if node.target is operator.getitem else str(node.target)


def milliseconds(node: fx.Node) -> float:
    if node.op != "call_function" or node.target is operator.getitem:
        return 0.0
    name = full_name(node).split(".")[1]
    if name in FREE:
        return 0.0
    output, inputs = node.meta.get("val"), [source.meta.get("val") for source in node.all_input_nodes]
    moved = bytes_of(output) + sum(bytes_of(tensor) for tensor in inputs)
    if name in ("mm", "addmm", "bmm", "baddbmm"):
        inner = [tensor for tensor in inputs if tensor.dim() >= 2][-2:][0].shape[-1]
        rate = 250e12 if name == "bmm" else 450e12
        return 1e3 * max(2 * output.numel() * inner / rate, moved / 3e12) + 0.0012
    if name in ("convolution", "convolution_backward"):
        backward = name == "convolution_backward"
        image = node.args[0].meta["val"] if backward else output
        weight, groups = node.args[1 + backward].meta["val"], node.args[8 + backward]
        work = 2 * image.numel() * weight.numel() / weight.shape[0] * (2.2 if backward else 1)
        return 1e3 * max(work / (120e12 if groups == 1 else 3e12), moved * (1 + backward) / 2e12) + 0.006
    start, rate = next((entry for word, entry in MOVERS.items() if word in name), OTHERS)
    return 1e3 * moved / rate + start / 1e3


# --- workloads ----------------------------------------------------------------------------------------------------------


class Workload:
    """Nodes and edges as they come, and which nodes share a device."""

    def __init__(self, name: str, training: bool):
        self.name, self.training = name, training
        self.nodes, self.edges, self.shares = [], [], []

    def add(self, node: fx.Node, backward: bool) -> int:
        time = milliseconds(node)
        self.nodes.append({
            "id": len(self.nodes), "name": ("bw/" if backward else "") + node.name, "op": full_name(node),
            "supportedOnFpga": 1, "fpgaLatency": time, "cpuLatency": CPU_FACTOR * time, "isBackwardNode": int(backward),
            "outputBytes": bytes_of(node.meta.get("val")), "weights": 0, "optimizerState": 0, "activation": 0,
        })  # fmt: skip
        self.shares.append(len(self.shares))
        return len(self.nodes) - 1

    def representative(self, node: int) -> int:
        while self.shares[node] != node:
            node = self.shares[node]
        return node

    def share(self, one: int, other: int) -> None:
        self.shares[self.representative(one)] = self.representative(other)

    def connect(self, node: fx.Node, number: int, place: dict, readers: dict) -> None:
        """Edges from what is read. `place`: a node's number, or the parameter that it is."""
        for source in dict.fromkeys(node.all_input_nodes):
            at = place.get(source)
            if isinstance(at, fx.Node):
                readers[at].append(number)
            elif at is not None:
                self.edges.append((at, number))
                if node.target is operator.getitem:
                    self.share(number, at)

    def give_weights(self, parameter: fx.Node, readers: list[int]) -> None:
        if not readers:
            return
        size = bytes_of(parameter.meta.get("val"))
        self.nodes[readers[0]]["weights"] += size
        if self.training:
            self.nodes[readers[0]]["optimizerState"] += OPTIMIZER_FACTOR * size
            for reader in readers[1:]:
                self.share(reader, readers[0])

    def as_json(self) -> dict:
        for node in self.nodes:
            kept = self.training and not node["isBackwardNode"] and node["fpgaLatency"] > 0
            node["size"] = node["weights"] + node["optimizerState"] + (node["outputBytes"] if kept else 0)
        members: dict[int, list[int]] = {}
        for number in range(len(self.nodes)):
            members.setdefault(self.representative(number), []).append(number)
        for colour, numbers in enumerate(group for group in members.values() if len(group) > 1):
            for number in numbers:
                self.nodes[number]["colorClass"] = colour
        size = [node["outputBytes"] for node in self.nodes]
        edges = [{"sourceId": source, "destId": target, "cost": LATENCY_MS + size[source] / BYTES_PER_MS,
                  "size": size[source]} for source, target in self.edges]
        return {"name": self.name, "maxSizePerFPGA": 2.0**34, "maxFPGAs": 6, "maxCPUs": 1, "nodes": self.nodes,
                "edges": edges}


def workload(name: str, training: bool) -> dict:
    traced = trace(name, training)
    result = Workload(f"{name}-{'training' if training else 'inference'}", training)
    inputs = [node for node in traced.forward.nodes if node.op == "placeholder"]
    weights = inputs[: traced.parameters + traced.buffers]
    readers: dict[fx.Node, list[int]] = {node: [] for node in weights}
    place: dict[fx.Node, int | fx.Node] = {node: node for node in weights}
    for node in traced.forward.nodes:
        if node.op != "output" and node not in readers:
            place[node] = result.add(node, backward=False)
            result.connect(node, place[node], place, readers)
    if traced.backward is not None:
        saved = {node.name: node for node in traced.forward.nodes}
        after: dict[fx.Node, int | fx.Node] = {}
        for node in traced.backward.nodes:
            if node.op == "placeholder":
                if (at := place.get(saved.get(node.name))) is None:
                    continue
                after[node] = at
                if not isinstance(at, fx.Node):
                    result.nodes[at]["activation"] = result.nodes[at]["outputBytes"]
            elif node.op == "output":
                for parameter, gradient in zip(inputs[: traced.parameters], node.args[0]):
                    if isinstance(after.get(gradient), int):
                        readers[parameter].append(after[gradient])
            else:
                after[node] = result.add(node, backward=True)
                result.connect(node, after[node], after, readers)
    for parameter, numbers in readers.items():
        result.give_weights(parameter, numbers)
    return result.as_json()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all, if none is named")
    parser.add_argument("--output", type=Path, default=Path("."), help="the folder for MODEL-{inference,training}.json.gz")
    args = parser.parse_args()
    if unknown := set(args.models) - set(MODELS):
        parser.error(f"unknown model: {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    args.output.mkdir(parents=True, exist_ok=True)
    for name in args.models or MODELS:
        for training in (False, True):
            made = workload(name, training)
            path = args.output / f"{made['name']}.json.gz"
            with gzip.open(path, "wt", encoding="utf-8") as file:
                json.dump(made, file)
            total = sum(node["fpgaLatency"] for node in made["nodes"])
            print(f"{path}: {len(made['nodes'])} nodes, {len(made['edges'])} edges, {total:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
