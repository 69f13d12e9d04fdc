# SPDX-License-Identifier: Apache-2.0
"""`partita.torch.profile`: a module measured on this machine, as a workload that can be planned.

Each distinct operator is timed by itself (`stopwatch`, `times`), then the whole. Their ratio is what measuring
operators by themselves misses (caches, overlap between operators, calls from Python); all times are scaled by it, so
that they add up to the whole.
"""

from __future__ import annotations

import copy
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from partita.errors import InputError
from partita.torch.capturing import Capture, capture
from partita.torch.package import torch_package
from partita.torch.stopwatch import Timing, pinned, stopwatch_for
from partita.torch.tensors import dtype_name
from partita.torch.times import time_operators, time_whole
from partita.torch.transfers import Transfers, measure_transfers
from partita.torch.workload import workload_of


@dataclass(frozen=True)
class Measurement:
    """A measured module. Times in seconds."""

    capture: Capture
    timings: dict[str, Timing]
    whole: Timing
    transfers: Transfers
    workload: dict

    @property
    def sum(self) -> float:
        """All operators, one by one."""
        return sum(timing.seconds for timing in self.timings.values())

    @property
    def ratio(self) -> float:
        """whole / sum: what all times of the workload were multiplied by."""
        return self.workload["meta"]["scale"]

    @property
    def noise(self) -> float:
        """How far the runs of the whole are apart, as a share of it: differences below it mean nothing."""
        return self.whole.spread / self.whole.seconds

    def save(self, path) -> Path:
        """Writes the workload for `partita plan`; the file appears whole or not at all."""
        path = Path(path)
        try:
            handle, temporary = tempfile.mkstemp(prefix=".partita-", suffix=".tmp", dir=path.parent)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}; choose another path") from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self.workload, file, separators=(",", ":"))
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return path


def profile(module, args, kwargs=None, *, training: bool = False, loss=None, optimizer: str = "adam", device=None,
            devices: int = 2, repetitions: int = 11, threads: int = 1, dtype=None, output=None,
            progress=None) -> Measurement:
    """Measures every operator of `module(*args, **kwargs)` where it runs.

    `device` ("cpu", "cuda:1") and `dtype` (torch.bfloat16) move a copy of the module there first; else it is measured
    where and as it is. `devices` is how many like it the workload offers to the planner. On a CPU, each has `threads`
    threads, pinned. With `training` the backward pass is measured too; `loss` maps the module's output to a scalar.
    `output` is a file to save the workload to. `progress` is called with (done, all) operators. Example:

        measured = partita.torch.profile(model, (tokens,), training=True, loss=lambda logits: logits.float().mean())
        measured.save("workload.json")
    """
    torch = torch_package("partita.torch.profile")
    for name, value in {"devices": devices, "repetitions": repetitions, "threads": threads}.items():
        if not isinstance(value, int) or value < 1:
            raise InputError(f"{name}: found {value!r}, expected a whole number from 1 on")
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"module: found a {type(module).__name__}, expected a torch.nn.Module")
    device = _device_for(torch, module, device)
    module, args, kwargs = _moved(torch, module, args, dict(kwargs or {}), device, dtype)
    captured = capture(module, args, kwargs, training=training, loss=loss, optimizer=optimizer)
    on_device = torch.cuda.device(device) if device.type == "cuda" else pinned(threads)
    with on_device:
        stopwatch = stopwatch_for(device, repetitions)
        timings, distinct = time_operators(captured.graph_module, captured.values, stopwatch, progress)
        whole = time_whole(captured.graph_module, captured.values, stopwatch)
        transfers = measure_transfers(device, repetitions)
    facts = {"torch": torch.__version__, "device": _device_name(torch, device),
             "threads": threads if device.type == "cpu" else None,
             "dtype": dtype_name(dtype) if dtype is not None else None,
             "optimizer": optimizer if training else None, "repetitions": repetitions, "distinctOperators": distinct,
             "notCaptured": getattr(stopwatch, "not_captured", None)}
    memory = torch.cuda.get_device_properties(device).total_memory if device.type == "cuda" else None
    workload = workload_of(captured, timings, whole, transfers, devices=devices, memory=memory,
                           facts={key: value for key, value in facts.items() if value is not None})
    measurement = Measurement(captured, timings, whole, transfers, workload)
    if output is not None:
        measurement.save(output)
    return measurement


def _device_for(torch, module, device):
    if device is None:
        first = next((tensor for tensor in [*module.parameters(), *module.buffers()]), None)
        device = first.device if first is not None else "cpu"
    try:
        device = torch.device(device)
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"device: found {device!r}, expected cpu, cuda or cuda:1: {reason}") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise InputError(f"device: found {device}, but torch finds no GPU on this machine; say device=\"cpu\"")
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda", torch.cuda.current_device())
    return device


def _moved(torch, module, args, kwargs: dict, device, dtype):
    """A copy of the module on the device, in the type, and the arguments likewise; the module itself where it fits."""
    from torch.utils import _pytree

    tensors = [*module.parameters(), *module.buffers()]
    if any(tensor.device != device or (dtype is not None and tensor.is_floating_point() and tensor.dtype != dtype)
           for tensor in tensors):
        module = copy.deepcopy(module).to(device=device, dtype=dtype)

    def move(tensor):
        return tensor.to(device=device, dtype=dtype if tensor.is_floating_point() else None)

    if not isinstance(args, (tuple, list)):
        return module, args, kwargs  # capture says what is wrong with it
    return module, *_pytree.tree_map_only(torch.Tensor, move, (tuple(args), kwargs))


def _device_name(torch, device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"cpu ({torch.backends.cpu.get_cpu_capability()})"
