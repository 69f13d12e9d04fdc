# SPDX-License-Identifier: Apache-2.0
"""The pipeline over a cluster: one Ray actor for each device, tensors as objects of Ray's, results in order, each once.

    with RayEngine(pipeline, None, feeds, address="auto") as engine:
        for outputs in engine.stream():
            ...
        stamps = engine.stamps()

Samples travel in *groups*. A call of an actor costs the driver, the actors and Ray some ms, however little it does; so
where stages are quick, as many samples share a call as take about 20 ms. The driver calls all stages of a group at
once, each with the references of what it reads: data goes from actor to actor, and the driver waits for the last
results only.

What is lost is run again. The inputs of a group stay with the driver until its results are there. When an actor or its
node is lost, its device is started anew, in the place that the cluster finds for it, and the groups that failed are
submitted again from their inputs. A group's results are taken once, when all of them are there. Errors of the model
itself are not tried again.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from partita.errors import InputError, RunError
from partita.pipeline import Pipeline
from partita.running.devices import Device, kinds_for, parse_device, place_devices
from partita.running.feeds import Feeds
from partita.running.local import default_window
from partita.running.ray_bundles import Bundles
from partita.running.ray_cluster import Cluster, RayOptions, starts_here
from partita.running.ray_hosts import Hosts
from partita.running.ray_losses import is_loss, losses_among, own_words
from partita.running.ray_stage import packed, unpacked
from partita.running.ray_stamps import Call, CallLog
from partita.running.rings import check_can_pass
from partita.running.stamps import StageStamps
from partita.running.wiring import COLLECTOR

_GROUP_SECONDS = 0.02  # of computing, in the busiest device, for one message
_LARGEST_GROUP = 32  # samples
_MOST_IN_FLIGHT = 256  # samples, where no window was given
_STORE_SHARE = 0.4  # of the object store, that the samples in flight may fill
_SMALL = 64 << 10  # bytes: what is smaller travels within the call


def find_devices(names, devices, options: RayOptions, cores_per_device: int, oversubscribe: bool) -> list[Device]:
    """What plays the part of each device: of this machine where Ray is started here, with cores of its own, else of the
    cluster, which decides who gets which cores."""
    if starts_here(options):
        return place_devices(names, devices, cores_per_device=cores_per_device, oversubscribe=oversubscribe)
    return [replace(kind, name=name) if isinstance(kind, Device) else Device(name, (), *parse_device(kind))
            for name, kind in zip(names, kinds_for(names, devices))]


class Group:
    """Samples that travel together, and where their results will be."""

    def __init__(self, number: int, first: int, samples: list[dict]):
        self.number = number
        self.first = first
        self.samples = samples
        self.inputs: list = []  # a value or reference for each bundle of the model's inputs
        self.moments: list = []  # a reference for each stage
        self.outputs: list = []  # a reference for each bundle that the collector reads
        self.hosts: list = []
        self.submitted = 0


class RayEngine:
    """A running pipeline. Use it in a `with` block, or `close()` it."""

    name = "ray"
    places_devices = False

    def __init__(self, pipeline: Pipeline, devices, feeds: Feeds, *, window: int | None = None,
                 cores_per_device: int = 1, oversubscribe: bool = False, optimize: bool = False, **options):
        """`options` are those of RayOptions."""
        self._cluster = self._hosts = None
        self.pipeline = pipeline
        self._options = RayOptions.of(options)
        for whose, tensors in (("the model", pipeline.needed_inputs),
                               *((f"stage {stage.index}", stage.outputs) for stage in pipeline.stages)):
            for tensor in tensors:
                check_can_pass(tensor, whose)
        self.devices = find_devices(pipeline.devices, devices, self._options, cores_per_device, oversubscribe)
        self.feeds = feeds
        if window is not None and window < 1:
            raise InputError(f"window: found {window}, expected at least 1 sample in flight")
        self._bundles = Bundles(pipeline)
        self._log = CallLog(pipeline)
        self._groups_in_flight = default_window(pipeline)
        self._window = window
        self.window = window or self._groups_in_flight  # the most samples that were in flight
        self._waiting: deque[Group] = deque()
        self._number = self._sample = 0
        self._losses = 0  # since the last result
        self.restarted = 0
        self._shared: tuple = ()
        try:
            self._start(cores_per_device, optimize)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        if self._cluster is not None and not sys.is_finalizing():  # Ray ends itself with the program
            self.close()

    def close(self) -> None:
        """Ends all actors, gives their places back, and ends Ray where it was started here. May be called again."""
        self._waiting.clear()
        self._shared = ()
        if self._hosts is not None:
            self._hosts.end()
            self._hosts = None
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def pids(self) -> dict[str, int]:
        """The process of each device, on its node."""
        return {name: host.pid for name, host in self._hosts.by_name.items()}

    def nodes(self) -> dict[str, str]:
        """The node of each device: Ray's name for it."""
        return {name: host.node for name, host in self._hosts.by_name.items()}

    def stream(self, *, keep_outputs: bool = True) -> Iterator[dict]:
        """Runs all samples, and yields the outputs of each in order: dicts of arrays, empty ones without
        `keep_outputs`."""
        samples = iter(self.feeds)
        more = True
        while True:
            while more and self._room():
                group = self._next_group(samples)
                more = group is not None
                if more:
                    self._submit(group)
                    self._waiting.append(group)
            if not self._waiting:
                return
            results = self._collect(self._waiting[0], keep_outputs)
            self._waiting.popleft()
            yield from results

    def stamps(self) -> list[StageStamps]:
        """What each stage did when, for the samples that were collected."""
        return self._log.stamps()

    def settings(self) -> dict:
        """How each device ran."""
        nodes = self.nodes()
        return {device.name: {**device.settings(), "node": nodes.get(device.name)} for device in self.devices}

    # Starting

    def _start(self, cores_per_device: int, optimize: bool) -> None:
        gpus = {"GPU": self._options.gpus_per_device} if self._options.gpus_per_device else {}
        bundle = {"CPU": cores_per_device, **gpus, **self._options.resources}
        in_flight = self._sample_bytes() * (self._window or _MOST_IN_FLIGHT)
        self._cluster = Cluster([bundle] * len(self.devices), self._options, cores=cores_per_device * len(self.devices),
                                store_bytes=int(in_flight / _STORE_SHARE))
        self._ray = self._cluster.ray
        self._largest_group = self._limit()
        self._hosts = Hosts(self._cluster, self.pipeline, self._bundles, self.devices, threads=cores_per_device,
                            optimize=optimize)
        self._start_hosts([device.name for device in self.devices])

    def _sample_bytes(self) -> int:
        """What a sample takes in the object store while it is in flight."""
        made = (*self.pipeline.needed_inputs, *(tensor for stage in self.pipeline.stages for tensor in stage.outputs))
        return sum(tensor.bytes or 0 for tensor in made)

    def _limit(self) -> int:
        """The most samples of a group: by the window, and by the object store."""
        in_flight = self._window or _MOST_IN_FLIGHT
        if self._sample_bytes():
            in_flight = min(in_flight, int(_STORE_SHARE * self._cluster.store_bytes() / self._sample_bytes()))
        return max(1, min(in_flight // self._groups_in_flight, _LARGEST_GROUP))

    # Feeding

    def _room(self) -> bool:
        if len(self._waiting) >= self._groups_in_flight:
            return False
        in_flight = sum(len(group.samples) for group in self._waiting)
        return self._window is None or in_flight + self._group_size() <= self._window or not self._waiting

    def _group_size(self) -> int:
        """One sample at first; then as many as the measured times of the last groups allow."""
        if self._options.group is not None:
            return min(self._options.group, self._window or self._options.group)
        seconds = self._log.compute_per_sample(self._groups_in_flight)
        if not seconds:
            return 1
        return max(1, min(round(_GROUP_SECONDS / seconds), self._largest_group))

    def _next_group(self, samples) -> Group | None:
        taken = []
        for _ in range(self._group_size()):
            sample = next(samples, None)
            if sample is None:
                break
            taken.append(sample)
        if not taken:
            return None
        group = Group(self._number, self._sample, taken)
        group.inputs = self._stored_inputs(group)
        self._number += 1
        self._sample += len(taken)
        self.window = max(self.window, len(taken) + sum(len(other.samples) for other in self._waiting))
        return group

    def _stored_inputs(self, group: Group) -> list:
        """The inputs as arguments of calls; what is large is put into the object store, once for all readers and tries.
        A sample that is the same each time is put there once."""
        if self.feeds.constant is not None and self._shared and self._shared[0] == len(group.samples):
            return self._shared[1]
        stored = []
        for bundle in self._bundles.made_by(None):
            value = [tuple(_contiguous(sample[name]) for name in bundle.names) for sample in group.samples]
            size = sum(array.nbytes for arrays in value for array in arrays)
            stored.append(value if size < _SMALL else self._ray.put(value))
        if self.feeds.constant is not None:
            self._shared = (len(group.samples), stored)
        return stored

    def _submit(self, group: Group) -> None:
        """Calls all stages, each with the references of what it reads. References to what only stages read are not
        kept: Ray frees these objects as soon as they have been read."""
        values = dict(zip(self._bundles.made_by(None), group.inputs))
        group.moments, group.hosts = [], []
        group.submitted = time.monotonic_ns()
        for stage in self.pipeline.stages:
            host = self._hosts.by_name[stage.devices[group.number % len(stage.devices)]]
            reads = [values[bundle] for bundle in self._bundles.read_by(stage.index)]
            made = host.runs[stage.index].remote(stage.index, group.first, len(group.samples), *reads)
            moments, *made = made if isinstance(made, list) else [made]
            group.moments.append(moments)
            group.hosts.append(host)
            values.update(zip(self._bundles.made_by(stage.index), made))
        group.outputs = [values[bundle] for bundle in self._bundles.read_by(COLLECTOR)]

    # Collecting

    def _collect(self, group: Group, keep_outputs: bool) -> list[dict]:
        """The results of a group, however often it must be tried."""
        while True:
            try:
                found = self._ray.get([*group.moments, *(group.outputs if keep_outputs else ())])
                break
            except self._ray.exceptions.RayError as error:
                self._recover(error.with_traceback(None))  # whose frames would keep references of lost results
        self._losses = 0
        self._log.add([
            Call(stage.index, host.device.name, group.number, group.first, len(group.samples), group.submitted,
                 moments - host.skew)
            for stage, host, moments in zip(self.pipeline.stages, group.hosts, found)])
        return self._results(group, found[len(group.moments):]) if keep_outputs else [{}] * len(group.samples)

    def _results(self, group: Group, bundles: list) -> list[dict]:
        """Copies: views would keep Ray's store from freeing them."""
        found: list[dict] = [{} for _ in group.samples]
        for bundle, value in zip(self._bundles.read_by(COLLECTOR), bundles):
            for outputs, arrays in zip(found, value):
                outputs.update(((bundle.maker, name), array) for name, array in zip(bundle.names, arrays))
        return [{tensor.name: sample[tensor.name].copy() if tensor.source is None else
                 unpacked(outputs[tensor.source, tensor.name], tensor.dtype).copy() for tensor in self.pipeline.outputs}
                for sample, outputs in zip(group.samples, found)]

    # Losses

    def _recover(self, error) -> None:
        """Starts the devices anew that were lost, and submits again what has failed with them; raises what is no
        loss."""
        if not is_loss(self._ray, error):
            raise own_words(error) from None
        failed, lost = [self._waiting[0]], {getattr(error, "actor_id", None)}
        for group in self._waiting:
            losses = losses_among(self._ray, group.moments)  # its errors of the model have their turn later
            lost.update(getattr(one, "actor_id", None) for one in losses)
            if losses and group not in failed:
                failed.append(group)
        alive = {node["NodeID"] for node in self._ray.nodes() if node["Alive"]}
        gone = [name for name, host in self._hosts.by_name.items() if host.id in lost or host.node not in alive]
        self._start_hosts(gone, error)
        for group in failed:
            self._submit(group)

    def _start_hosts(self, names: list[str], error=None) -> None:
        """Starts devices, again if they are lost while they start."""
        while True:
            if error is not None:
                self._losses += 1
                self.restarted += len(names)
                if self._losses > self._options.restarts:
                    raise RunError(f"given up after {self._losses} losses without a result in between; the last one: "
                                   f"{' '.join(str(error).split())[:1000]}")
            try:
                self._hosts.start(names)
                return
            except self._ray.exceptions.RayError as found:
                if not is_loss(self._ray, found):
                    raise own_words(found) from None
                error = found


def _contiguous(array):
    import numpy

    return packed(numpy.ascontiguousarray(array))
