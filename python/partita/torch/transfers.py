# SPDX-License-Identifier: Apache-2.0
"""What moving a tensor costs on this machine: a latency, and bytes over a bandwidth.

On a GPU these are copies between its memory and pinned host memory, the slower direction; on a CPU copies from memory
to memory, as between the processes of a pipeline. Large copies are from cold buffers: they are larger than the
caches.
"""

from __future__ import annotations

from dataclasses import dataclass

from partita.torch.stopwatch import stopwatch_for

_SMALL = 4 << 10  # bytes
_LARGE = {"cuda": 256 << 20, "cpu": 64 << 20}


@dataclass(frozen=True)
class Transfers:
    """Seconds a transfer takes beside its bytes, and bytes a second."""

    latency: float
    bandwidth: float
    directions: dict  # bandwidth of each, where there are two

    def seconds(self, size: int) -> float:
        """
        >>> Transfers(latency=1e-5, bandwidth=1e9, directions={}).seconds(1000)
        1.1e-05
        """
        return self.latency + size / self.bandwidth


def measure_transfers(device, repetitions: int) -> Transfers:
    import torch

    stopwatch = stopwatch_for(device, repetitions)

    def copies(size: int) -> dict:
        if device.type == "cpu":
            source, target = torch.ones(size, dtype=torch.uint8), torch.ones(size, dtype=torch.uint8)
            return {"copy": lambda: target.copy_(source)}
        host = torch.ones(size, dtype=torch.uint8, pin_memory=True)
        there = torch.ones(size, dtype=torch.uint8, device=device)
        return {"to device": lambda: there.copy_(host, non_blocking=True),
                "to host": lambda: host.copy_(there, non_blocking=True)}

    latency = max(stopwatch.measure(copy).seconds for copy in copies(_SMALL).values())
    large = _LARGE[device.type]
    directions = {name: large / stopwatch.measure(copy).seconds for name, copy in copies(large).items()}
    return Transfers(latency, min(directions.values()), directions)
