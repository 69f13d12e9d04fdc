# SPDX-License-Identifier: Apache-2.0
"""What was measured of a model: a folder with the optimised model, measurement.json and platform.json
(docs/measuring.md).

    measurement = partita.onnx.profile("model.onnx", devices=2, folder="measured")
    print(measurement)
    partita plan measured/model.onnx --profile measured/measurement.json --platform measured/platform.json
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from partita.errors import InputError
from partita.json_file import Fields, read_json

FORMAT = "measurement"
VERSION = 1
FILE_NAME = "measurement.json"
PLATFORM_FILE = "platform.json"
_LARGE_RATIO = 1.1


@dataclass(frozen=True)
class Time:
    """Seconds: the median of many runs, and its error bar, the median distance of the runs from it."""

    seconds: float
    spread: float

    @property
    def relative(self) -> float:
        return self.spread / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class OperatorTime:
    """An operator by its name: `seconds` is what plans count with, `busy` and `alone` are what the profiler said."""

    name: str
    op: str
    seconds: float
    spread: float
    busy: float
    alone: float | None


@dataclass(frozen=True)
class Link:
    """What passing tensors between devices costs, on either side: `latency` + bytes / `bandwidth` for each tensor; and
    `stage_overhead`, what the engine takes for each sample in a stage, whatever passes."""

    latency: float  # seconds
    bandwidth: float  # bytes per second
    stage_overhead: float  # seconds
    spread: float = 0.0  # seconds: by how much the fit misses what was measured


@dataclass(frozen=True)
class Measurement:
    """Times of a model's operators on `devices` equal devices that work at the same time."""

    model: Path
    devices: tuple[str, ...]
    cores_per_device: int
    provider: str
    operators: tuple[OperatorTime, ...]
    whole: Time  # one sample, without the profiler, all devices busy
    whole_alone: Time | None
    sum_of_operators: float  # as the profiler saw them, busy
    link: Link
    segments: int = 0  # how many pieces were timed as well; 0: it was not needed
    memory: int | None = None  # bytes of each device
    settings: dict = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How much longer a sample takes when all devices work than when one works alone."""
        return self.whole.seconds / self.whole_alone.seconds if self.whole_alone else None

    @property
    def sum_over_whole(self) -> float:
        """What the profiler's operators add up to, by what the model takes without it."""
        return self.sum_of_operators / self.whole.seconds

    @property
    def spread(self) -> float:
        """The part of the time by which runs differ."""
        return self.whole.relative

    def warning(self, gain: float) -> str | None:
        """A line where runs differ by more than `gain`, the part of the time that a plan promises to save."""
        if self.spread <= gain:
            return None
        return (
            f"measured times differ by {100 * self.spread:.0f} % from run to run, more than the {100 * gain:.0f} % "
            "that the plan gains: it may not be seen"
        )

    def scaled(self, factors: dict[str, float]) -> Measurement:
        """The same with the times of some operators multiplied, by name."""
        operators = tuple(replace(one, seconds=one.seconds * factors.get(one.name, 1.0)) for one in self.operators)
        return replace(self, operators=operators)

    def to_json(self) -> dict:
        document = asdict(self)
        document["model"] = self.model.name
        return {"partita": {"format": FORMAT, "version": VERSION}, "unit": "s", **document}

    def platform(self) -> dict:
        """The devices as `--platform` reads them. Every operator has a measured time; what the class says of speeds is
        for one that had none, and a round number."""
        link = {"bandwidth": f"{self.link.bandwidth / 1e9:.6f} GB/s", "latency": f"{self.link.latency * 1e6:.4f} us"}
        kind = {
            "name": _class_name(self.devices),
            "kind": "accelerator",
            "count": len(self.devices),
            "memory": self.memory,
            "flops": {"fp32": f"{10 * self.cores_per_device} GFLOP/s"},
            "memoryBandwidth": "5 GB/s",
            "launch": 0,
            "link": link,
        }
        return {"version": 1, "classes": [kind]}

    def save(self, folder) -> Path:
        """Writes measurement.json, whose path it returns, and platform.json into the folder, beside the model."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, document in ((FILE_NAME, self.to_json()), (PLATFORM_FILE, self.platform())):
            partial = folder / f"{name}.{os.getpid()}.partial"
            partial.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
            os.replace(partial, folder / name)
        return folder / FILE_NAME

    @staticmethod
    def read(folder) -> Measurement:
        """Of a folder, or of its measurement.json."""
        path = Path(folder) / FILE_NAME if Path(folder).is_dir() else Path(folder)
        content = read_json(path, FORMAT, VERSION)
        fields = Fields(content, str(path))
        try:
            whole_alone = content.get("whole_alone")
            measurement = Measurement(
                model=path.parent / fields.text("model"),
                devices=tuple(content["devices"]),
                cores_per_device=content["cores_per_device"],
                provider=content["provider"],
                operators=tuple(OperatorTime(**one) for one in content["operators"]),
                whole=Time(**content["whole"]),
                whole_alone=Time(**whole_alone) if whole_alone else None,
                sum_of_operators=content["sum_of_operators"],
                link=Link(**content["link"]),
                segments=content["segments"],
                memory=content.get("memory"),
                settings=content.get("settings", {}),
            )
        except (KeyError, TypeError) as error:
            raise InputError(f"{path}: is no measurement as docs/measuring.md says: {error}") from None
        if not measurement.model.is_file():
            raise InputError(f"{path}: the model {measurement.model.name} that it is of is not beside it")
        return measurement

    def workload(self, path) -> Path:
        """Writes a workload of Partita's: the graph with measured times, bytes, and the devices. Needs the program or
        the compiled module."""
        from partita.onnx.planning_seam import write_workload

        return write_workload(self, Path(path))

    def __str__(self) -> str:
        lines = [
            f"{self.model.name} on {len(self.devices)} x {self.cores_per_device} core(s) of {self.provider}: "
            f"{len(self.operators)} operators",
            f"one sample        {_ms(self.whole)} with all devices busy"
            + (f", {_ms(self.whole_alone)} alone: x{self.ratio:.2f}" if self.whole_alone else ""),
            f"profiler          operators add up to {self.sum_over_whole:.2f} of that"
            + (f"; corrected by {self.segments} pieces timed as a whole" if self.segments else ""),
            f"passing a tensor  {self.link.latency * 1e6:.1f} us + bytes / {self.link.bandwidth / 1e9:.2f} GB/s on "
            f"either side; {self.link.stage_overhead * 1e6:.0f} us for a sample in a stage",
        ]
        longest = sorted(self.operators, key=lambda one: -one.seconds)[:5]
        total = sum(one.seconds for one in self.operators) or 1.0
        lines.append(
            "longest           "
            + ", ".join(f"{one.name} ({one.op}) {100 * one.seconds / total:.0f} %" for one in longest)
        )
        if self.spread > _LARGE_RATIO - 1:
            lines.append(
                f"warning: runs differ by {100 * self.spread:.0f} %; close other programs, or measure more repetitions"
            )
        return "\n".join(lines)


def _class_name(devices: tuple[str, ...]) -> str:
    """`core` of `core 0`, `core 1`: Partita numbers the devices of a class itself."""
    return devices[0].rsplit(" ", 1)[0]


def _ms(time: Time) -> str:
    return f"{1e3 * time.seconds:.4g} ms (+- {1e3 * time.spread:.2g})"
