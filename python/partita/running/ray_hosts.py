# SPDX-License-Identifier: Apache-2.0
"""The actors of a pipeline, as the driver sees them: started each in its place of the cluster, given their files, and
started anew when they are lost."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from partita.errors import RunError
from partita.pipeline import Pipeline
from partita.running.devices import Device
from partita.running.ray_bundles import Bundles
from partita.running.ray_cluster import Cluster
from partita.running.ray_stage import FileMark, StageHost, machine_id

_PART = 32 << 20  # bytes of a file that travel at once
_CLOCK_READINGS = 7  # the quickest of which counts


class Host:
    """The actor of one device, ready to run. `skew` is what its clock is ahead of the driver's, in ns."""

    def __init__(self, device: Device, actor, said: dict, skew: int, runs: dict):
        self.device = device
        self.actor = actor
        self.id = actor._actor_id.hex()
        self.pid = said["pid"]
        self.node = said["node"]
        self.skew = skew
        self.runs = runs  # by stage: the method to call


class Hosts:
    """The actors of all devices, by device's name."""

    def __init__(self, cluster: Cluster, pipeline: Pipeline, bundles: Bundles, devices: list[Device], *, threads: int,
                 optimize: bool):
        self._cluster, self._pipeline, self._bundles = cluster, pipeline, bundles
        self._threads, self._optimize = threads, optimize
        self._devices = {device.name: (number, device) for number, device in enumerate(devices)}
        self._class = cluster.ray.remote(StageHost)
        self._actors: dict[str, object] = {}  # also those that are still starting
        self.by_name: dict[str, Host] = {}

    def start(self, names) -> None:
        """Starts the actors of these devices; those that were there are ended first."""
        ray, timeout = self._cluster.ray, self._cluster.options.start_timeout
        for name in names:
            self._end(name)
            self._actors[name] = self._class.options(
                max_restarts=0, max_task_retries=0, allow_out_of_order_execution=True,
                **self._cluster.place(self._devices[name][0])).remote(name)
        try:
            said = dict(zip(names, ray.get([self._actors[name].hello.remote() for name in names], timeout=timeout)))
            for name in names:
                self._send_files(name, timeout)
            ray.get([self._load(name) for name in names], timeout=timeout)
            for name in names:
                self.by_name[name] = self._host(name, said[name])
        except ray.exceptions.GetTimeoutError:
            raise RunError(f"{', '.join(names)}: not started in {timeout:.0f} s; the cluster has "
                           f"{self._cluster.described()}") from None

    def end(self) -> None:
        """Ends all actors."""
        for name in list(self._actors):
            self._end(name)

    def _end(self, name: str) -> None:
        self.by_name.pop(name, None)
        actor = self._actors.pop(name, None)
        if actor is not None and self._cluster.ray.is_initialized():
            self._cluster.ray.kill(actor)

    def _stages_of(self, name: str) -> list:
        return [stage for stage in self._pipeline.stages if name in stage.devices]

    def _load(self, name: str):
        hosted = [self._bundles.hosted(replace(stage, file=stage.file.resolve())) for stage in self._stages_of(name)]
        return self._actors[name].load.remote(hosted, self._devices[name][1], self._threads, self._optimize)

    def _host(self, name: str, said: dict) -> Host:
        actor = self._actors[name]
        runs = {stage.index: actor.run.options(num_returns=1 + len(self._bundles.made_by(stage.index)))
                for stage in self._stages_of(name)}
        return Host(self._devices[name][1], actor, said, self._skew(actor, said), runs)

    def _skew(self, actor, said: dict) -> int:
        """Processes of one machine share a clock. Of others it is read several times: half of the way there and
        back."""
        if said["machine"] and said["machine"] == machine_id():
            return 0
        best = None
        for _ in range(_CLOCK_READINGS):
            asked = time.monotonic_ns()
            clock = self._cluster.ray.get(actor.hello.remote())["clock"]
            answered = time.monotonic_ns()
            if best is None or answered - asked < best[0]:
                best = (answered - asked, clock - (asked + answered) // 2)
        return best[1]

    def _send_files(self, name: str, timeout: float) -> None:
        """Sends the files of a device's stages through the object store, part by part, unless its node has them."""
        ray, actor = self._cluster.ray, self._actors[name]
        files = files_of(self._pipeline, self._stages_of(name))
        marks = {str(file): FileMark.of(file) for file in files}
        if ray.get(actor.has_files.remote(marks), timeout=timeout):
            return
        sent = None
        for file in files:
            with open(file, "rb") as opened:
                offset = 0
                while (part := opened.read(_PART)) or offset == 0:
                    before, sent = sent, actor.receive.remote(file.name, offset, ray.put(part))
                    offset += max(len(part), 1)
                    if before is not None:  # at most two parts take up the store
                        ray.get(before, timeout=timeout)
        ray.get(sent, timeout=timeout)


def files_of(pipeline: Pipeline, stages: list) -> list[Path]:
    """Files that a device needs for its stages: theirs, and files of weights that are no other stage's own."""
    own = {name for stage in stages for name in (stage.file.name, stage.data)}
    others = {name for stage in pipeline.stages for name in (stage.file.name, stage.data)} - own
    named = dict.fromkeys((*(stage.file.name for stage in stages), *pipeline.files))
    return [(pipeline.folder / name).resolve() for name in named if name not in others]
