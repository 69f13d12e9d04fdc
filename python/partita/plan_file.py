# SPDX-License-Identifier: Apache-2.0
"""A plan file (JSON of `partita plan -o`), as far as running needs it: which device does what, and what was predicted.

    plan = PlanFile.read("plan.json")
    print(plan.milliseconds(plan.value), "ms per sample predicted")
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from partita.errors import InputError
from partita.json_file import Fields, read_json
from partita.pipeline import Pipeline

VERSION = 2
_MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


@dataclass(frozen=True)
class PlannedDevice:
    """A device of the plan's platform, and its predicted load; times in the plan's unit."""

    name: str
    kind: str
    stage: int | None  # place in a staged pipeline
    load: float
    compute: float
    into: float  # "in" is a word of Python's
    out: float
    nodes: tuple[int, ...]
    sharing: int = 1  # how many devices take turns with its stage

    @property
    def used(self) -> bool:
        return bool(self.nodes) or self.sharing > 1


@dataclass(frozen=True)
class PlanFile:
    """What a plan promises, and to which model."""

    path: Path
    workload: str
    model: str | None  # file, as it was named when the plan was made
    fingerprint: str | None
    status: str
    value: float
    unit: str | None
    objective: str
    shape: str
    transfers: str
    devices: tuple[PlannedDevice, ...]
    content: dict  # the whole file

    @staticmethod
    def read(path) -> PlanFile:
        """Reads a plan; one without a split is refused."""
        path = Path(path)
        fields = Fields(read_json(path, "plan", VERSION), str(path))
        if fields.get("value", None) is None:
            raise InputError(f"{path}: holds no split (status {fields.get('status', None)}): there is nothing to run")
        model = fields.get("model", {})
        return PlanFile(
            path=path,
            workload=fields.text("workload"),
            model=model.get("file"),
            fingerprint=model.get("fingerprint"),
            status=fields.text("status"),
            value=fields.number("value"),
            unit=fields.get("time_unit", None),
            objective=fields.text("objective"),
            shape=fields.get("shape", "free"),
            transfers=fields.get("transfers", "sum"),
            devices=tuple(_device(one) for one in fields.rows("devices")),
            content=fields.value,
        )

    def milliseconds(self, time: float) -> float:
        """A time of the plan. A unit that nobody names is taken for a millisecond, as in traces."""
        return time * _MILLISECONDS.get(self.unit or "ms", 1.0)

    def device(self, name: str) -> PlannedDevice | None:
        """The device of that name, None where the plan has none."""
        return next((device for device in self.devices if device.name == name), None)

    def check_is_of(self, pipeline: Pipeline) -> None:
        """Refuses stages that were cut along another plan, or from another model."""
        if self.fingerprint and pipeline.fingerprint and self.fingerprint != pipeline.fingerprint:
            raise InputError(f"{self.path}: is a plan of another model than {pipeline.folder} was cut from "
                             f"(fingerprints {self.fingerprint} and {pipeline.fingerprint}); split the model again")
        if self.model and Path(self.model).name != pipeline.model:
            raise InputError(
                f"{self.path}: is a plan of {Path(self.model).name}, but {pipeline.folder} holds stages of "
                f"{pipeline.model}; split the model again"
            )
        for stage in pipeline.stages:
            for name in stage.devices:
                device = self.device(name)
                if device is None or not device.used:
                    found = "unknown to it" if device is None else "empty in it"
                    raise InputError(f"{self.path}: is not the plan of {pipeline.folder}: the device {name} of stage "
                                     f"{stage.index} is {found}; split the model again")


def _device(fields: Fields) -> PlannedDevice:
    return PlannedDevice(
        name=fields.text("name"),
        kind=fields.text("kind"),
        stage=fields.get("stage", None),
        load=fields.number("load"),
        compute=fields.number("compute"),
        into=fields.number("in"),
        out=fields.number("out"),
        nodes=tuple(fields.get("nodes", ())),
        sharing=fields.get("sharing", 1),
    )
