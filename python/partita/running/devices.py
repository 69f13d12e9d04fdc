# SPDX-License-Identifier: Apache-2.0
"""The devices of a plan, found on this machine: cores, and execution providers of ONNX Runtime."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from partita.errors import InputError
from partita.running.session import CPU, check_provider

_PROVIDERS = {"cpu": CPU, "cuda": "CUDAExecutionProvider", "tensorrt": "TensorrtExecutionProvider",
              "rocm": "ROCMExecutionProvider", "dml": "DmlExecutionProvider", "openvino": "OpenVINOExecutionProvider"}


@dataclass(frozen=True)
class Device:
    """What plays the part of a device of the plan. Without cores its process runs anywhere."""

    name: str
    cores: tuple[int, ...] = ()
    provider: str = CPU
    provider_options: dict = field(default_factory=dict)

    def settings(self) -> dict:
        """What is worth keeping beside a measurement."""
        return {"cores": list(self.cores), "provider": self.provider}


def parse_device(text: str) -> tuple[str, dict]:
    """A provider and its options, of "cpu", "cuda:1" or "CUDAExecutionProvider:1".

    >>> parse_device("cuda:1")
    ('CUDAExecutionProvider', {'device_id': '1'})
    """
    name, _, number = text.partition(":")
    provider = _PROVIDERS.get(name.lower(), name)
    if number and not number.isdigit():
        raise InputError(f"{text}: found {number!r} behind the colon, expected the number of a device")
    return provider, ({"device_id": number} if number else {})


def kinds_for(names, devices) -> list:
    """What was asked for, for each name: processors, if it was a number or nothing."""
    wanted = f"the plan has stages on {len(names)} devices"
    if devices is None or isinstance(devices, int):
        if devices is not None and devices != len(names):
            raise InputError(f"{wanted}, but {devices} were asked for; plan for {devices}")
        return ["cpu"] * len(names)
    kinds = list(devices)
    if len(kinds) != len(names):
        raise InputError(f"{wanted} ({', '.join(names)}), but {len(kinds)} are listed")
    return kinds


def place_devices(names, devices=None, *, cores_per_device: int = 1, oversubscribe: bool = False) -> list[Device]:
    """A device of this machine for each name: processors, or those listed in `devices` ("cpu", "cuda:0", ...). Each
    gets cores of its own; where there are too few, that is an error unless `oversubscribe` lets devices share them.
    `Device` objects are taken as they are."""
    names = list(names)
    if cores_per_device < 1:
        raise InputError(f"cores per device: found {cores_per_device}, expected at least 1")
    kinds = kinds_for(names, devices)
    if all(isinstance(kind, Device) for kind in kinds):
        return [replace(kind, name=name) for name, kind in zip(names, kinds)]
    if any(not isinstance(kind, str) for kind in kinds):
        raise InputError("devices: found a mixture, expected kinds such as \"cpu\" and \"cuda:0\", or Device objects")
    parsed = [parse_device(kind) for kind in kinds]
    for provider, _ in parsed:
        check_provider(provider)
    cores = _cores_for(sum(provider == CPU for provider, _ in parsed), cores_per_device, oversubscribe)
    return [Device(name, next(cores) if provider == CPU else (), provider, options)
            for name, (provider, options) in zip(names, parsed)]


def _cores_for(count: int, each: int, oversubscribe: bool):
    there = sorted(os.sched_getaffinity(0))
    if count * each > len(there) and not oversubscribe:
        raise InputError(
            f"{count} devices of {each} core{'s' if each > 1 else ''} each need {count * each} cores, but this process "
            f"may use {len(there)} ({_listed(there)}); plan for fewer, or let them share cores (oversubscribe, "
            "--oversubscribe): times will not be as predicted"
        )
    for number in range(count):
        yield tuple(dict.fromkeys(there[(number * each + k) % len(there)] for k in range(each)))


def _listed(cores) -> str:
    return ", ".join(str(core) for core in cores[:8]) + (", ..." if len(cores) > 8 else "")
