# SPDX-License-Identifier: Apache-2.0
"""The devices that a graph is split over."""

from __future__ import annotations

import html
import os
from typing import Any

from partita.compiled import library
from partita.errors import InputError


def bytes_of(amount: float | str | None, argument: str) -> float | None:
    """A number of bytes: 1.6e10, "16GiB", "16 GB"."""
    if amount is None or (isinstance(amount, (int, float)) and not isinstance(amount, bool)):
        return None if amount is None else float(amount)
    parsed = library.parse_bytes(amount) if isinstance(amount, str) else None
    if parsed is None:
        raise InputError(f"{argument}: found {amount!r}; expected bytes, such as 1.6e10, '16GiB' or '16 GB'")
    return parsed


class Platform:
    """Devices: known ones by name, those of a file, or numbers that take the place of a graph's own.

    >>> Platform("4xa100-nvlink")
    Platform('4xa100-nvlink'): 4 x a100-nvlink of 74.51 GiB
    >>> Platform("2x(4xa100-nvlink)+ib").classes[0].count
    8
    >>> Platform.of(accelerators=2, memory="16GiB")
    Platform.of(accelerators=2, memory=17179869184.0)
    """

    def __init__(self, text: str | os.PathLike):
        """A composition such as "4xa100-nvlink+epyc" (`Platform.presets()` lists the words), or a file's path."""
        name = os.fspath(text)
        is_file = name.endswith((".json", ".gz")) or os.sep in name or os.path.exists(name)
        self._handle = library.Platform.read(name) if is_file else library.Platform.composed(name)

    @classmethod
    def _of_handle(cls, handle: Any) -> Platform:
        platform = cls.__new__(cls)
        platform._handle = handle
        return platform

    @classmethod
    def read(cls, path: str | os.PathLike, strict: bool = False) -> Platform:
        """The platform of a file (docs/formats.md); strict: a field that is not known is an error."""
        return cls._of_handle(library.Platform.read(os.fspath(path), strict))

    @classmethod
    def of(
        cls,
        accelerators: int | None = None,
        memory: float | str | None = None,
        hosts: int | None = None,
        sync_bandwidth: float | None = None,
        clusters: str = "",
    ) -> Platform:
        """Numbers for graphs that have times of their own: what is left out is as the graph says.

        `memory` is that of each accelerator, in bytes or as "16GiB". `clusters`: "2:0.5" are two clusters inside which
        transfers cost half.
        """
        handle = library.Platform.none()
        return cls._of_handle(
            handle.with_numbers(accelerators, bytes_of(memory, "memory"), hosts, sync_bandwidth, clusters)
        )

    def having(
        self,
        accelerators: int | None = None,
        memory: float | str | None = None,
        hosts: int | None = None,
        sync_bandwidth: float | None = None,
        clusters: str = "",
    ) -> Platform:
        """The same devices with other numbers.

        >>> Platform("4xa100").having(accelerators=8).classes[0].count
        8
        """
        memory = bytes_of(memory, "memory")
        return self._of_handle(self._handle.with_numbers(accelerators, memory, hosts, sync_bandwidth, clusters))

    @staticmethod
    def presets() -> Presets:
        """The devices, links and servers that platforms are composed of.

        >>> "a100" in Platform.presets().devices
        True
        """
        return Presets(library.platform_presets())

    @property
    def classes(self) -> list[DeviceClass]:
        """The kinds of devices; none of a platform that only changes numbers."""
        return [DeviceClass(*row) for row in self._handle.classes()]

    def __repr__(self) -> str:
        if self._handle.whole:
            name = repr(self._handle.text) if self._handle.text else ""
            return f"Platform({name}): {self._handle.describe()}"
        names = ("accelerators", "memory", "hosts")
        given = [f"{name}={value}" for name, value in zip(names, self._handle.numbers) if value is not None]
        return f"Platform.of({', '.join(given)})"

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"

    def to_json(self) -> str:
        """The platform as a file has it."""
        if not self._handle.whole:
            raise InputError(f"{self!r} only changes numbers of a graph's own devices; it is no platform by itself")
        return self._handle.json()

    def save(self, path: str | os.PathLike) -> None:
        """Writes it as a file that `--platform` and `Platform.read` take."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __getstate__(self) -> dict:
        if not self._handle.whole:
            return {"numbers": self._handle.numbers}
        return {"json": self.to_json(), "text": self._handle.text}

    def __setstate__(self, state: dict) -> None:
        if "json" in state:
            self._handle = library.Platform.parse(state["json"], state["text"] or "platform")
        else:
            self._handle = library.Platform.none().with_numbers(*state["numbers"], None, "")


class DeviceClass:
    """Equal devices of a platform."""

    def __init__(self, name: str, kind: str, count: int, memory: float):
        self.name = name
        self.kind = kind  # "accelerator" or "host"
        self.count = count
        self.memory = memory  # bytes of each; inf: no limit

    def __repr__(self) -> str:
        return f"DeviceClass(name={self.name!r}, kind={self.kind!r}, count={self.count}, memory={self.memory:g})"


class Presets:
    """Names that platforms are composed of, with what they stand for."""

    def __init__(self, rows: list):
        self.devices = {name: label for kind, name, label in rows if kind == "device"}
        self.links = {name: label for kind, name, label in rows if kind == "link"}
        self.servers = {name: label for kind, name, label in rows if kind == "server"}

    def __repr__(self) -> str:
        lines = []
        for title in ("devices", "links", "servers"):
            lines.append(f"{title}:")
            lines += [f"  {name:<16} {label}" for name, label in getattr(self, title).items()]
        return "\n".join(lines)


def as_platform(given: Platform | str | os.PathLike | None) -> Platform | None:
    """What an argument `platform` may be."""
    if given is None or isinstance(given, Platform):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Platform(given)
    raise InputError(f"platform: found {given!r}; expected a Platform, or a name such as '4xa100'")


def handle_of(given: Platform | str | os.PathLike | None):
    platform = as_platform(given)
    return None if platform is None else platform._handle
