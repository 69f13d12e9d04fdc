# SPDX-License-Identifier: Apache-2.0
"""A measured capture in the format of workloads (docs/formats.md), and the fingerprint that plans know it by."""

from __future__ import annotations

from partita.torch.capturing import Capture


def workload_of(capture: Capture, timings: dict, whole, transfers, *, devices: int, memory: int | None,
                facts: dict) -> dict:
    """Times in ms; every device is an accelerator, since a host would pay for no transfer."""
    total = sum(timing.seconds for timing in timings.values())
    scale = whole.seconds / total if total > 0 else 1.0
    costs = [transfers.seconds(node.output_bytes) * 1e3 for node in capture.nodes]
    return {
        "version": 1, "name": capture.name + ("-training" if capture.training else "-inference"), "unit": "ms",
        "maxFPGAs": devices, "maxCPUs": 0, "maxSizePerFPGA": memory,
        "meta": {**facts, "training": capture.training, "unit": "ms and bytes",
                 "sumMs": total * 1e3, "wholeMs": whole.seconds * 1e3, "wholeSpreadMs": whole.spread * 1e3,
                 "scale": scale,
                 "transferLatencyMs": transfers.latency * 1e3, "transferBytesPerSecond": transfers.bandwidth,
                 "transferDirections": transfers.directions, "layers": {str(k): v for k, v in capture.layers.items()}},
        "nodes": [_node(number, node, timings, scale) for number, node in enumerate(capture.nodes)],
        "edges": [{"sourceId": source, "destId": target, "cost": costs[source],
                   "size": capture.nodes[source].output_bytes} for source, target in capture.edges],
    }


def _node(number: int, node, timings: dict, scale: float) -> dict:
    own = [timings[name] for name in node.members if name in timings]
    spread = sum(timing.spread for timing in own)
    fields = {
        "id": number, "name": node.name, "op": node.op, "supportedOnFpga": True, "supportedOnCpu": False,
        "fpgaLatency": sum(timing.seconds for timing in own) * scale * 1e3, "isBackwardNode": node.backward,
        "weights": node.weights, "gradients": node.gradients, "optimizerState": node.optimizer_state,
        "activation": node.activation, "outputBytes": node.output_bytes, "source": "measured",
        "meta": {"spreadMs": spread * scale * 1e3},
    }
    optional = {"colorClass": node.colour, "layerId": node.layer, "output": node.output or None}
    return fields | {key: value for key, value in optional.items() if value is not None}


def fingerprint(capture: Capture) -> str:
    """FNV-1a over ids, names, operators and edges, as a plan's `model.fingerprint` is made."""
    value = 0xcbf29ce484222325

    def add(data: bytes) -> None:
        nonlocal value
        for byte in data:
            value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff

    def number(one: int) -> None:
        add(one.to_bytes(8, "little"))

    def text(one: str) -> None:
        data = one.encode()
        number(len(data))
        add(data)

    number(len(capture.nodes))
    for place, node in enumerate(capture.nodes):
        number(place)
        text(node.name)
        text(node.op)
        number(1 if node.backward else 0)
    for source, target in sorted(capture.edges):
        number(source)
        number(target)
    return f"{value:016x}"
